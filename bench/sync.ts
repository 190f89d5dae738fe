import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { startFixture } from '#test/fixtures/connectors/tracker.ts';
import type { CcPairId } from '#src/ids.ts';
import { type FakeSource, startFakeSource } from '#test/support/fake-source.ts';
import {
  insertLinkedPair,
  openTestServices,
  type TestServices,
} from '#test/support/test-services.ts';
import type { BenchOptions } from './bench-options.ts';

const PAGES = 2_000;
/** A server on the internet, one nearby, and one that answers at once, where all the time is Millrace's own. */
const LATENCIES_MS = [100, 20, 0];
/** The web connector's number of concurrent requests. */
const CRAWL_CONCURRENCY = 8;
const ISSUES_PER_PAGE = 100;
const LINKS_PER_INDEX = 100;

interface Row {
  'source answers in ms': number;
  'bare fetch docs/s': number;
  'sync docs/s': number;
  ratio: number;
  'requests per unchanged document': number;
}

/** A source with `documents` items, and a bare loop that reads them all. */
interface Subject extends AsyncDisposable {
  kind: string;
  server: FakeSource;
  settings: Record<string, unknown>;
  credential: Record<string, unknown> | null;
  documents: number;
  readBare(): Promise<void>;
}

/**
 * Measures how fast runs fetch, accept and save, beside a loop that fetches the same pages and discards them, and the
 * cost of the next run when nothing has changed. Source, loop and sync share one process; nothing is indexed.
 */
export async function sync(options: BenchOptions): Promise<void> {
  const count = options.documents ?? PAGES;
  const table: Record<string, Row> = {};
  for (const latencyMs of LATENCIES_MS) {
    for (const start of [startWeb, startTracker]) {
      await using subject = await start(count, latencyMs);
      table[`${subject.kind}, ${latencyMs} ms`] = await measure(subject, latencyMs);
    }
  }
  console.log(
    `sync: ${count} pages, ${count * 10} issues, ${process.env['TEST_DATABASE_URL'] ? 'Postgres' : 'embedded'}`,
  );
  console.table(table);
}

async function measure(subject: Subject, latencyMs: number): Promise<Row> {
  await using test = await openTestServices({ MAX_PENDING_DOCUMENTS: '1000000' });
  // Delays are real in this bench.
  const real: TestServices = {
    ...test,
    services: { ...test.services, clock: () => new Date(), wait: async (ms) => sleep(ms) },
  };
  await subject.readBare();
  const bareSeconds = await timed(() => subject.readBare());
  const pair = await insertLinkedPair(real, {
    source: subject.kind,
    settings: subject.settings,
    credential: subject.credential,
    refreshSeconds: null,
  });
  const syncSeconds = await timed(() => run(real, pair));
  await expectRun(real, pair, subject.documents);
  const before = subject.server.requests.length;
  await requestRun(real.services, {
    workspaceId: real.workspaceId,
    ccPairId: pair,
    fromBeginning: false,
    requestId: null,
  });
  await run(real, pair);
  const requests = subject.server.requests.length - before;
  return {
    'source answers in ms': latencyMs,
    'bare fetch docs/s': Math.round(subject.documents / bareSeconds),
    'sync docs/s': Math.round(subject.documents / syncSeconds),
    ratio: rounded(bareSeconds / syncSeconds),
    'requests per unchanged document': rounded(requests / subject.documents),
  };
}

async function run({ services }: TestServices, pair: CcPairId): Promise<void> {
  await syncConnector(services, pair, new AbortController().signal);
}

async function expectRun(
  { services }: TestServices,
  pair: CcPairId,
  documents: number,
): Promise<void> {
  const { rows } = await sql<{ status: string; accepted: number }>`
    select status, accepted from index_attempt where cc_pair_id = ${pair}`.execute(services.db);
  if (rows[0]?.status !== 'success' || rows[0].accepted !== documents) {
    throw new Error(
      `The run did not fetch everything: ${JSON.stringify(rows)}, ${documents} expected.`,
    );
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

/** Index pages of 100 links each; every page has validators, navigation and a few paragraphs. */
async function startWeb(count: number, latencyMs: number): Promise<Subject> {
  const indexes = Math.ceil(count / LINKS_PER_INDEX);
  const server = await startFakeSource(async ({ url, headers }) => {
    if (url.pathname === '/robots.txt') return { status: 404 };
    await sleep(latencyMs);
    const etag = `"${url.pathname}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    return {
      headers: { 'content-type': 'text/html; charset=utf-8', etag },
      body: pageAt(url.pathname, count),
    };
  });
  const paths = ['/', ...numbered('/index-', indexes), ...numbered('/page-', count)];
  return {
    kind: 'web',
    server,
    settings: { base_url: `${server.url}/`, web_connector_type: 'recursive' },
    credential: null,
    documents: paths.length,
    readBare: () => fetchAll(paths.map((path) => server.url + path)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`);
}

function pageAt(path: string, count: number): string {
  const [, kind, number] = /^\/(index|page)-(\d+)$/.exec(path) ?? [];
  const n = Number(number ?? 0);
  const links =
    kind === undefined
      ? numbered('/index-', Math.ceil(count / LINKS_PER_INDEX))
      : kind === 'index'
        ? numbered('/page-', count).slice(n * LINKS_PER_INDEX, (n + 1) * LINKS_PER_INDEX)
        : ['/'];
  const text =
    `<p>${`Paragraph of ${path} about the harbour and its lights. `.repeat(8)}</p>`.repeat(5);
  return `<!doctype html><html><head><title>Page ${path}</title></head><body>
<nav><a href="/">Home</a></nav><main><h1>${path}</h1>${text}
<ul>${links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')}</ul></main></body></html>`;
}

async function fetchAll(urls: string[]): Promise<void> {
  const queue = [...urls];
  const worker = async (): Promise<void> => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      await (await fetch(url)).text();
    }
  };
  await Promise.all(Array.from({ length: CRAWL_CONCURRENCY }, worker));
}

/**
 * Ten times as many items: a page of issues holds 100, and the few requests that open a run should not weigh more than
 * in the other sources.
 */
async function startTracker(pages: number, latencyMs: number): Promise<Subject> {
  const count = pages * 10;
  const fixture = await startFixture();
  fixture.fill(count - fixture.ids().length, new Date(Date.now() - 86_400_000));
  const { server } = fixture;
  server.delayMs = latencyMs;
  return {
    kind: 'tracker',
    server,
    settings: { ...fixture.settings, batch_size: ISSUES_PER_PAGE },
    credential: fixture.credential,
    documents: count,
    readBare: () => searchAll(fixture.server, fixture.credential),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

async function searchAll(server: FakeSource, credential: Record<string, unknown>): Promise<void> {
  const account = `${String(credential['jira_user_email'])}:${String(credential['jira_api_token'])}`;
  let nextPageToken: string | undefined;
  do {
    const answer = await fetch(`${server.url}/rest/api/3/search/jql`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(account).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        jql: '(project = "ABC") ORDER BY updated ASC, key ASC',
        fields: ['*all'],
        maxResults: ISSUES_PER_PAGE,
        ...(nextPageToken !== undefined && { nextPageToken }),
      }),
    });
    ({ nextPageToken } = (await answer.json()) as { nextPageToken?: string });
  } while (nextPageToken !== undefined);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
