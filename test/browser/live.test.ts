// @module-tag processes
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  becomeOwner,
  hasChromium,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { type FakeSource, startFakeSource } from '#test/support/fake-source.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

describe.skipIf(!hasChromium)('live pages in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;
  let site: FakeSource;

  beforeAll(async () => {
    millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
    site = await startFakeSource(() => ({
      headers: { 'content-type': 'text/html' },
      body: '<!doctype html><title>Hives</title><main><p>A hive holds some fifty thousand bees.</p></main>',
    }));
    browser = await openBrowser();
    tab = await openPage(browser, new URL(millrace.url).origin);
    await becomeOwner(tab, millrace);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await millrace?.[Symbol.asyncDispose]();
  });

  /**
   * Opens a page and waits for its stream.
   * @returns how often the page has asked for each address since, the query left out
   */
  async function openLive(path: string): Promise<Map<string, number>> {
    const { page } = tab;
    await page.goto(`/console${path}`);
    await page.getByText('live', { exact: true }).waitFor();
    await expect.poll(() => page.locator('[aria-label=Loading]').count()).toBe(0);
    const asked = new Map<string, number>();
    page.removeAllListeners('request');
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    });
    return asked;
  }

  it('deliveries of an endpoint come without a reload and without asking again', async () => {
    const { body: endpoint } = await millrace.call('POST', '/webhook-endpoints', {
      url: 'https://hooks.invalid/',
    });
    const asked = await openLive(`/webhooks/${endpoint.id}`);
    await millrace.call('POST', `/webhook-endpoints/${endpoint.id}/test`, {});
    const row = tab.page.getByRole('row', { name: /ping/ });
    await row.getByText('will be tried again').waitFor();
    await tab.page.getByText('failing', { exact: true }).waitFor();
    expect([...asked]).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  it('connectors, their runs and what became of them come without a reload and without asking again', async () => {
    const { page } = tab;
    const askedByList = await openLive('/connectors');
    const { body } = await millrace.call('POST', '/manage/admin/connector-with-mock-credential', {
      name: 'Bee site',
      source: 'web',
      input_type: 'poll',
      access_type: 'public',
      connector_specific_config: { base_url: `${site.url}/`, web_connector_type: 'single' },
    });
    const row = page.getByRole('row', { name: /Bee site/ });
    await row.getByText('active').waitFor();
    await row.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    expect([...askedByList]).toEqual([]);

    const pair = `/manage/admin/cc-pair/${body.data}`;
    const runs = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    const asked = await openLive(`/connectors/${body.data}`);
    await expect.poll(() => runs.count()).toBe(2);
    await millrace.call('POST', `${pair}/run`, {});
    await expect.poll(() => runs.count()).toBe(3);
    await expect.poll(() => runs.getByText('succeeded').count()).toBe(2);
    await millrace.call('PUT', `${pair}/status`, { status: 'PAUSED' });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect([...asked]).toEqual([]);

    const { connector, credential } = (await millrace.call('GET', pair)).body;
    await millrace.call('POST', '/manage/admin/deletion-attempt', {
      connector_id: connector.id,
      credential_id: credential.id,
    });
    await page.getByRole('link', { name: 'Connectors' }).last().waitFor();
    await page.getByText('There is no', { exact: false }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('a search for leads comes and ends without a reload and without asking again', async () => {
    const { page } = tab;
    const askedByList = await openLive('/leads');
    const { body } = await millrace.call(
      'POST',
      '/tools/lead-scraper',
      { mode: 'scrape_url', query: `${site.url}/`, max_results: 5 },
      { headers: { Prefer: 'respond-async' } },
    );
    await page
      .getByRole('row', { name: /127\.0\.0\.1/ })
      .getByText('completed')
      .waitFor();
    expect([...askedByList]).toEqual([]);
    const asked = await openLive(`/leads/${body.scrape_id}`);
    await millrace.call('DELETE', `/tools/lead-scraper/${body.scrape_id}`);
    await page.getByText('There is no', { exact: false }).first().waitFor();
    // Once it is gone, the page asks for the sentence that says so.
    expect([...asked.keys()]).toEqual([`/tools/lead-scraper/${body.scrape_id}`]);
    expect(tab.faults).toEqual([]);
  });

  it('a document shows its new text and its end without a reload and without asking again', async () => {
    const { page } = tab;
    const id = 'bees/one, two: 100 %';
    const push = (text: string) =>
      millrace.call('POST', '/service-api/ingestion', {
        document: { id, semantic_identifier: 'Bees', sections: [{ text }], source: 'file' },
      });
    await push('Bees sleep in winter.');
    await millrace.settled();
    const address = `/service-api/ingestion/${encodeURIComponent(id)}`;
    const asked = await openLive(`/documents/${encodeURIComponent(id)}`);
    await page.getByText('Bees sleep in winter.').waitFor();
    await push('Bees huddle in winter.');
    await page.getByText('Bees huddle in winter.').waitFor();
    await page.getByText('2, indexed: 2').waitFor();
    // Its text is not in the stream: it is read once for each new one.
    expect([...asked]).toEqual([[`${address}/chunks`, 1]]);
    await millrace.call('DELETE', address);
    await page.getByText('There is no document', { exact: false }).first().waitFor();
    expect(tab.faults).toEqual([]);
  });
});
