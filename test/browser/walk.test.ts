// @module-tag processes
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  becomeOwner,
  hasChromium,
  isTooWide,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { fillConsole, type FullConsole, HOSTILE } from '#test/support/full-console.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

/** What a page may transfer on a first visit, everything compressed. */
const MAX_PAGE_BYTES = 150_000;
const FILL_TIMEOUT_MS = 300_000;
const SHOWN_MS = 10_000;
const READ_MS = 40_000;

describe.skipIf(!hasChromium)('every page of the console, full (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;
  let origin: string;
  let full: FullConsole;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    origin = new URL(millrace.url).origin;
    browser = await openBrowser();
    tab = await openPage(browser, origin);
    await becomeOwner(tab, millrace);
    full = await fillConsole(millrace);
  }, FILL_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
  });

  async function show({ page }: WatchedPage, address: string): Promise<void> {
    await page.goto(`/console${address}`);
    await page.locator('h1').waitFor();
    const loading = page.locator('[aria-label=Loading]');
    await expect.poll(() => loading.count(), { timeout: READ_MS, message: address }).toBe(0);
  }

  /** Counts the requests that are under way, but for the event stream, which does not end. */
  function countPending({ page }: WatchedPage): () => number {
    const pending = new Set<unknown>();
    page.on('request', (request) => {
      if (!request.url().includes('/live?')) pending.add(request);
    });
    page.on('requestfinished', (request) => pending.delete(request));
    page.on('requestfailed', (request) => pending.delete(request));
    return () => pending.size;
  }

  async function isShown(page: WatchedPage['page']): Promise<boolean> {
    // In the page itself, not in its frame; what a select offers is not visible.
    const text = page.locator('#main').getByText(HOSTILE).filter({ visible: true });
    return text
      .first()
      .waitFor({ timeout: SHOWN_MS })
      .then(
        () => true,
        () => false,
      );
  }

  it('is in the walks of this file', async () => {
    // Not a literal, since the modules of browsers are checked with the types of browsers.
    const routes = new URL('../../src/console/web/routes.ts', import.meta.url).href;
    const { VIEWS } = (await import(routes)) as { VIEWS: readonly { path: string }[] };
    const paths = VIEWS.map(({ path }) => path);
    expect(Object.keys(full.pages).toSorted()).toEqual(paths.toSorted());
  });

  it('shows hostile text as text, and no secret', async () => {
    const { page, faults } = tab;
    const wrong: string[] = [];
    for (const { addresses, isHostile } of Object.values(full.pages)) {
      for (const address of addresses) {
        await show(tab, address);
        // Otherwise the walk would pass where it sees nothing that others wrote.
        if (isHostile && !(await isShown(page))) wrong.push(`${address} does not show it`);
        if ((await page.locator('img[src="x"]').count()) > 0) wrong.push(`${address} has an image`);
        if ((await page.locator('[href^="javascript:" i]').count()) > 0)
          wrong.push(`${address} has a link that runs`);
        const markup = await page.content();
        if (full.secrets.some((secret) => markup.includes(secret)))
          wrong.push(`${address} shows a secret`);
        wrong.push(...faults.splice(0).map((fault) => `${address}: ${fault}`));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('shows hostile names of files and of what one chooses from as text', async () => {
    const { page } = tab;
    await show(tab, '/documents');
    await page.locator('option', { hasText: HOSTILE }).first().waitFor({ state: 'attached' });
    await page.getByLabel('Choose all on this page').check();
    await page.getByRole('button', { name: /^Delete \d/ }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add documents' }).click();
    await page
      .getByRole('dialog')
      .locator('input[type=file]')
      .setInputFiles([
        { name: `${HOSTILE}.txt`, mimeType: 'text/plain', buffer: Buffer.from('A text.') },
        { name: `empty ${HOSTILE}.txt`, mimeType: 'text/plain', buffer: Buffer.from('') },
      ]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const added = page.getByRole('region', { name: 'Just added' });
    await added.getByText(`empty ${HOSTILE}.txt is empty.`).waitFor();
    await show(tab, '/ask');
    await page.locator('option', { hasText: HOSTILE }).first().waitFor({ state: 'attached' });
    await page.locator('input[type=file]').setInputFiles({
      name: `${HOSTILE}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('A text.'),
    });
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText(HOSTILE).waitFor();
    await show(tab, '/connectors/new?kind=tracker');
    await page.locator('option', { hasText: HOSTILE }).first().waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Title');
    await page.getByRole('option', { name: HOSTILE }).filter({ visible: true }).first().waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it.each([
    '//stolen.example/',
    '/\\stolen.example/',
    'https://stolen.example/',
    '/../../stolen',
    '/%2e%2e/auth/sign-out',
    'javascript:alert()',
    '.stolen.example/',
    '@stolen.example/',
  ])('leads to a page of its own after signing in, not to %s', async (next) => {
    const { page } = tab;
    await page.goto(`/console/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const { origin: shown, pathname } = new URL(page.url());
    expect([shown, pathname.startsWith('/console/')]).toEqual([origin, true]);
    expect(tab.faults).toEqual([]);
  });

  it('transfers at most 150 KB on a first visit, all of it from here', async () => {
    const cookies = await tab.context.cookies();
    const sizes: Record<string, { bytes: number; firstPaintMs: number }> = {};
    for (const [path, { addresses }] of Object.entries(full.pages)) {
      const [address = ''] = addresses;
      await using stack = new AsyncDisposableStack();
      // A context of its own has nothing in its cache.
      const first = await openPage(browser, origin);
      stack.defer(() => first.context.close());
      await first.context.addCookies(cookies);
      const network = await first.context.newCDPSession(first.page);
      let bytes = 0;
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await network.send('Network.enable');
      const pending = countPending(first);
      await show(first, address);
      await expect.poll(pending, { timeout: SHOWN_MS }).toBe(0);
      const firstPaintMs = await first.page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      );
      sizes[path] = { bytes, firstPaintMs: Math.round(firstPaintMs) };
      expect(first.faults, address).toEqual([]);
      await first.page.setViewportSize({ width: 375, height: 800 });
      // Charts take the new width a moment later.
      await expect.poll(() => isTooWide(first.page), { message: address }).toBe(false);
    }
    process.stdout.write('  bytes  first paint, ms\n');
    for (const [path, { bytes, firstPaintMs }] of Object.entries(sizes))
      process.stdout.write(
        `${String(bytes).padStart(7)} ${String(firstPaintMs).padStart(6)}  ${path}\n`,
      );
    const heavy = Object.entries(sizes).filter(([, { bytes }]) => bytes > MAX_PAGE_BYTES);
    expect(heavy).toEqual([]);
  });
});
