import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserServer, Page, Route } from 'playwright-core';
import type { Logger } from 'pino';
import { openFairGate, throughFairGate } from '#src/platform/fair-gate.ts';
import { type HttpClient, OutboundError, type OutboundResponse } from '#src/platform/http.ts';
import { orAbort } from './or-abort.ts';
import type { PageRenderer, RenderedPage } from '#src/platform/page-renderer.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const PAGES_AT_ONCE = 3;
const PAGES_OF_OWNER = 2;
const START_TIMEOUT_MS = 15_000;
const PAGE_TIMEOUT_MS = 20_000;
/** After `load`, pages have this long to fetch their text. */
const SETTLE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 500;
/** A browser takes some 200 MB, so it is closed soon after the last page. */
const IDLE_MS = 60_000;
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const MAX_PAGE_BYTES = 40 * 1024 * 1024;
const MAX_REQUESTS = 300;
const MAX_SCROLLS = 20;
const WANTED = new Set(['document', 'script', 'stylesheet', 'xhr', 'fetch']);
/** A proxy where nothing listens, for loopback too: a request that `answerRoute` does not answer goes nowhere. */
const DEAD_PROXY = 'http://127.0.0.1:9';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--proxy-bypass-list=<-loopback>',
  // No DNS lookups either, not even for prefetching: a lookup alone leaks information.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

interface Options {
  executablePath: string;
  http: HttpClient;
  log: Logger;
}

/**
 * Renders pages in one Chromium, started when first needed. Each page has its own context, so no cookie or cache
 * outlives it. The browser has no network: every request is answered here through the guarded HTTP client, and only
 * GET and HEAD of text, scripts and styles. A page that hangs is killed together with the browser, and the next page
 * gets a new one.
 */
export function openChromiumRenderer(options: Options): PageRenderer & AsyncDisposable {
  const { http, log } = options;
  const gate = openFairGate<string>({ places: PAGES_AT_ONCE, placesOfKey: PAGES_OF_OWNER });
  /** Being rendered, or waiting for it. */
  let pages = 0;
  let running: Promise<RunningBrowser> | null = null;
  let idleTimer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const start = (): Promise<RunningBrowser> => {
    if (running) return running;
    const starting = launch(options).catch((error: unknown): never => {
      forget();
      const message = `Chromium did not start from ${options.executablePath}.`;
      throw new SourceUnavailable(message, { cause: error });
    });
    // A stopped browser may report it when the next one is already running.
    const forget = (): void => {
      if (running === starting) running = null;
    };
    starting.then(
      ({ browser }) => browser.on('disconnected', forget),
      () => undefined, // reported to whoever awaits it
    );
    running = starting;
    return starting;
  };
  const stop = async (): Promise<void> => {
    const stopping = running;
    running = null;
    // Nothing in it needs a graceful shutdown.
    const started = await stopping?.catch(() => null);
    await started?.server.kill().catch((error: unknown) => {
      log.warn({ err: error }, 'chromium did not stop');
    });
  };

  return {
    async render(url, { scroll, signal, owner }) {
      pages += 1;
      if (idleTimer) clearTimeout(idleTimer);
      try {
        return await throughFairGate(gate, owner, { signal }, async () => {
          if (isClosed) throw new SourceUnavailable('The browser is closed.');
          return renderPage(start, http, url, { scroll, signal });
        });
      } finally {
        pages -= 1;
        if (pages === 0) idleTimer = setTimeout(() => void stop(), IDLE_MS).unref();
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      if (idleTimer) clearTimeout(idleTimer);
      await stop();
    },
  };
}

interface RunningBrowser {
  server: BrowserServer;
  browser: Browser;
}

/** Loaded when first needed, because most installations render nothing. A server, because only that can be killed. */
async function launch({ executablePath }: Options): Promise<RunningBrowser> {
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({
    executablePath,
    headless: true,
    args: FLAGS,
    proxy: { server: DEAD_PROXY },
    timeout: START_TIMEOUT_MS,
    // Under a random path, and only for this machine.
    host: '127.0.0.1',
    // Nothing of this process's environment, which holds secrets.
    env: { PATH: '/usr/bin:/bin', HOME: tmpdir() },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  try {
    return { server, browser: await chromium.connect(server.wsEndpoint()) };
  } catch (error) {
    // Nothing else can stop it.
    await server.kill().catch(() => undefined);
    throw error;
  }
}

async function renderPage(
  start: () => Promise<RunningBrowser>,
  http: HttpClient,
  url: string,
  options: { scroll: boolean; signal: AbortSignal },
): Promise<RenderedPage> {
  const deadline = AbortSignal.timeout(PAGE_TIMEOUT_MS);
  const signal = AbortSignal.any([deadline, options.signal]);
  try {
    // Redirects are followed here: once a request is answered, its redirects would not pass through this code.
    const document = await http.send({ url, signal, maxBytes: MAX_RESPONSE_BYTES });
    if (document.status >= 400) return { status: document.status, url: document.url, html: '' };
    const running = await orAbort(start(), signal);
    const html = await runPage(running, http, document, { scroll: options.scroll, signal });
    return { status: document.status, url: document.url, html };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof SourceUnavailable) throw error;
    const detail = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    const reason = deadline.aborted ? `it took longer than ${PAGE_TIMEOUT_MS / 1_000} s` : detail;
    throw new SourceUnavailable(`${url} could not be rendered: ${reason}`, { cause: error });
  }
}

async function runPage(
  { server, browser }: RunningBrowser,
  http: HttpClient,
  document: OutboundResponse,
  { scroll, signal }: { scroll: boolean; signal: AbortSignal },
): Promise<string> {
  const context = await orAbort(
    browser.newContext({ serviceWorkers: 'block', acceptDownloads: false }),
    signal,
  );
  const budget = { requests: 0, bytes: 0 };
  const work = async (): Promise<string> => {
    await context.routeWebSocket(/.*/, (socket) => socket.close());
    await context.route(/.*/, (route) => answerRoute(route, { http, document, budget, signal }));
    const page = await context.newPage();
    await page.goto(document.url, { waitUntil: 'load', timeout: PAGE_TIMEOUT_MS });
    await settle(page);
    if (scroll) await scrollToEnd(page);
    return page.content();
  };
  try {
    return await orAbort(work(), signal);
  } finally {
    // A page that is busy forever cannot be closed.
    const closed = context.close().then(
      () => true,
      () => true,
    );
    if (!(await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, false)]))) await server.kill();
  }
}

/** A page whose network never becomes idle is read in its current state. */
async function settle(page: Page): Promise<void> {
  await page
    .waitForLoadState('networkidle', { timeout: SETTLE_TIMEOUT_MS })
    .catch((error: unknown) => {
      if (page.isClosed()) throw error;
    });
}

async function scrollToEnd(page: Page): Promise<void> {
  let height = 0;
  for (let scrolls = 0; scrolls < MAX_SCROLLS; scrolls += 1) {
    const reached = await page.evaluate(() => {
      window.scrollTo(0, document.body.scrollHeight);
      return document.body.scrollHeight;
    });
    if (reached === height) return;
    height = reached;
    await settle(page);
  }
}

interface Answering {
  http: HttpClient;
  /** The page itself, which has already been fetched. */
  document: OutboundResponse;
  budget: { requests: number; bytes: number };
  signal: AbortSignal;
}

/** Answers one request of a page, or lets it fail. */
async function answerRoute(
  route: Route,
  { http, document, budget, signal }: Answering,
): Promise<void> {
  const request = route.request();
  budget.requests += 1;
  const isWanted = WANTED.has(request.resourceType()) && ['GET', 'HEAD'].includes(request.method());
  const isWithin = budget.requests <= MAX_REQUESTS && budget.bytes < MAX_PAGE_BYTES;
  try {
    if (request.isNavigationRequest() && request.url() === document.url) {
      return await fulfill(route, document);
    }
    if (!isWanted || !isWithin) return await route.abort('blockedbyclient');
    const response = await http.send({
      url: request.url(),
      method: request.method() === 'HEAD' ? 'HEAD' : 'GET',
      headers: passedOn(request.headers()),
      signal,
      maxBytes: MAX_RESPONSE_BYTES,
    });
    budget.bytes += response.bytes.length;
    await fulfill(route, response);
  } catch (error) {
    // The page sees a failed request, as with any other client. A closed context has no routes left.
    const code =
      error instanceof OutboundError && error.kind === 'refused' ? 'accessdenied' : 'failed';
    await route.abort(code).catch(() => undefined);
  }
}

async function fulfill(route: Route, { status, headers, bytes }: OutboundResponse): Promise<void> {
  const kept = [...headers].filter(
    ([name]) =>
      !/^(?:content-encoding|content-length|transfer-encoding|connection|set-cookie)$/i.test(name),
  );
  await route.fulfill({ status, headers: Object.fromEntries(kept), body: bytes });
}

function passedOn(headers: Record<string, string>): Record<string, string> {
  const names = ['accept', 'accept-language', 'origin', 'referer', 'x-requested-with'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}
