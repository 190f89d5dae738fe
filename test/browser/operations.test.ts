// @module-tag processes
import type { Browser } from 'playwright-core';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  becomeOwner,
  hasChromium,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import {
  type EmbeddingsFault,
  type FakeEmbeddings,
  startFakeEmbeddings,
} from '#test/support/fake-embeddings.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

const REFUSED = { status: 400, message: 'No such model. <img src=x onerror="alert(1)">' };
const QUEUE = 'document-index';
const FAILED = 12;
/** The watch checks every 15 s. */
const WATCHED_MS = 50_000;

describe.skipIf(!hasChromium)('a failing queue in a browser (needs /usr/bin/chromium)', () => {
  let embeddings: FakeEmbeddings;
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings();
    millrace = await startTestMillrace({ ...embeddings.settings, DOCUMENT_INDEX_CONCURRENCY: '1' });
    browser = await openBrowser();
    tab = await openPage(browser, new URL(millrace.url).origin);
    await becomeOwner(tab, millrace);
  });

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
    await embeddings?.[Symbol.asyncDispose]();
  });

  async function push(n: number): Promise<void> {
    await millrace.call('POST', '/service-api/ingestion', {
      document: {
        id: `failing-${n}`,
        semantic_identifier: `Failing ${n}`,
        sections: [{ text: `Text ${n} is about mills.` }],
        source: 'file',
      },
    });
  }

  const counts = async () =>
    (await millrace.call('GET', '/service-api/ingestion/stats')).body.counts;

  it('raises an alarm while its worker hangs, shows what then failed by reason, and retries all after the count', async () => {
    const { page } = tab;
    // The embedding service hangs, so the only worker waits for it, and the other documents wait for the worker.
    const answer = Promise.withResolvers<EmbeddingsFault>();
    embeddings.fault = () => answer.promise;
    await push(0);
    await until(() => Promise.resolve(embeddings.requests.length > 0));
    for (let n = 1; n < FAILED; n += 1) await push(n);
    // Backdates the documents instead of waiting six minutes.
    await sql`update document set accepted_at = now() - interval '6 minutes',
      queued_at = now() - interval '6 minutes' where status = 'accepted'`.execute(
      millrace.services.db,
    );
    await page.goto('/console/');
    const alarm = page.getByText(`${QUEUE} is stuck`, { exact: false });
    await alarm.first().waitFor({ timeout: WATCHED_MS });

    // Now it answers, with a refusal.
    embeddings.fault = () => REFUSED;
    answer.resolve(REFUSED);
    await until(async () => (await counts()).failed === FAILED);
    await page.goto('/console/operations');
    await page.getByText(`${QUEUE}: ${FAILED} failed since`, { exact: false }).waitFor();
    await page.getByRole('link', { name: QUEUE, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: QUEUE }).waitFor();
    const group = page.locator('.groups > li');
    await group.getByText(`${FAILED} failures`).waitFor();
    expect(await group.count()).toBe(1);
    expect(await group.locator('strong').innerText()).toContain('<img src=x');
    await group.getByText(`Show all ${FAILED}`).click();
    await group.getByRole('link', { name: 'document failing-3', exact: true }).waitFor();

    embeddings.fault = () => null;
    await retryAll();
    await page.getByText('Nothing failed for good in this time.').waitFor();
    await millrace.settled();
    expect(await counts()).toMatchObject({ failed: 0, indexed: FAILED });

    // The page updates without a reload when the watch clears the alarm.
    await page.getByText(`${QUEUE} is stuck`, { exact: false }).waitFor({
      state: 'detached',
      timeout: WATCHED_MS,
    });
    await page.goto('/console/operations/audit');
    await page.getByText(`retried ${FAILED} failures of ${QUEUE}`).waitFor();
    expect(tab.faults).toEqual([]);
  });

  async function retryAll(): Promise<void> {
    const { page } = tab;
    await page.getByRole('button', { name: `Retry all ${FAILED}`, exact: true }).click();
    await page.getByRole('dialog').getByText(`${FAILED} rows of ${FAILED}`).waitFor();
    // Nothing is tried again before somebody has agreed to the count.
    expect((await counts()).failed).toBe(FAILED);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Retry ${FAILED}` })
      .click();
    await page.getByText(`${FAILED} on the way again, 0 left.`).waitFor();
  }

  it('shows the job of a document with what happened to it, and finds it by its id', async () => {
    const { page } = tab;
    await page.goto(`/console/operations/${QUEUE}/jobs?state=completed`);
    await page.locator('a.row-link').first().click();
    await page.getByText('Added to the queue').waitFor();
    const id = (await page.locator('h1').innerText()).replace('Job ', '');
    await page
      .getByRole('link', { name: /^document failing-/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /^Failing / }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await page.getByRole('option', { name: new RegExp(`${QUEUE} ${id}`) }).click();
    await page.getByRole('heading', { level: 1, name: `Job ${id}` }).waitFor();
    await page.goto(`/console/operations/${QUEUE}/jobs/99999`);
    await page.getByRole('link', { name: `Jobs of ${QUEUE}` }).waitFor();
    expect(await page.getByText('/operations/queues', { exact: false }).count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });
});
