// @module-tag processes
import type { Browser } from 'playwright-core';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settleAlarms } from '#src/operations/alarms.ts';
import {
  becomeOwner,
  hasChromium,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const REFUSED = 'The embedding service answered 500. <img src=x onerror="alert(1)">';
const QUEUE = 'document-index';
const FAILED = 12;

describe.skipIf(!hasChromium)('a failing queue in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    browser = await openBrowser();
    tab = await openPage(browser, new URL(millrace.url).origin);
    await becomeOwner(tab, millrace);
  });

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
  });

  /** Documents that were given up, and an alarm that the next look of the watch clears. */
  async function failDocuments(): Promise<void> {
    const documents = Array.from({ length: FAILED }, (_, n) => ({
      id: `failing-${n}`,
      semantic_identifier: `Failing ${n}`,
      sections: [{ text: `Text ${n} is about mills.` }],
      source: 'file',
    }));
    for (const document of documents)
      await millrace.call('POST', '/service-api/ingestion', { document });
    await millrace.settled();
    const { db } = millrace.services;
    await sql`update document set status = 'failed', error = ${REFUSED}, attempts = 8`.execute(db);
    const now = new Date();
    const message = `${QUEUE} is stuck.`;
    const troubles = [{ queue: QUEUE, kind: 'stuck' as const, since: now, message }];
    await settleAlarms(millrace.services, { troubles, over: [], now });
  }

  it('raises an alarm, shows its failures by reason, and retries all after the count', async () => {
    const { page } = tab;
    await failDocuments();
    await page.goto('/console/');
    await page.getByText(`${QUEUE} is stuck.`).first().waitFor();
    await page.goto('/console/operations');
    await page.getByRole('link', { name: QUEUE }).first().click();
    await page.getByRole('heading', { level: 1, name: QUEUE }).waitFor();
    const group = page.locator('.groups li');
    await group.getByText(`${FAILED} failures`).waitFor();
    expect(await group.count()).toBe(1);
    expect(await group.locator('strong').innerText()).toContain('<img src=x');

    await page.getByRole('button', { name: `Retry all ${FAILED}` }).click();
    await page.getByRole('dialog').getByText(`${FAILED} rows of ${FAILED}`).waitFor();
    // Nothing is tried again before somebody has agreed to the count.
    const { body } = await millrace.call('GET', '/service-api/ingestion/stats');
    expect(body.counts.failed).toBe(FAILED);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Retry ${FAILED}` })
      .click();
    await page.getByText(`${FAILED} on the way again, 0 left.`).waitFor();
    await page.getByText('Nothing failed for good in this time.').waitFor();
    await millrace.settled();
    const after = await millrace.call('GET', '/service-api/ingestion/stats');
    expect(after.body.counts).toMatchObject({ failed: 0, indexed: FAILED });

    // Without a reload: the watch clears the alarm, and the page follows.
    await page.getByText(`${QUEUE} is stuck.`).waitFor({ state: 'detached', timeout: 50_000 });
    await page.goto('/console/operations/audit');
    await page.getByText('failures.retry').first().waitFor();
    expect(tab.faults).toEqual([]);
  });
});
