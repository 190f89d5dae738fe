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

/** More than a stream has topics. */
const ADDED = 12;

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
    return countRequests();
  }

  function countRequests(): Map<string, number> {
    const { page } = tab;
    const asked = new Map<string, number>();
    page.removeAllListeners('request');
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    });
    return asked;
  }

  const pushText = (id: string, text: string) =>
    millrace.call('POST', '/service-api/ingestion', {
      document: { id, semantic_identifier: 'Bees', sections: [{ text }], source: 'file' },
    });

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
    await pushText(id, 'Bees sleep in winter.');
    await millrace.settled();
    const address = `/service-api/ingestion/${encodeURIComponent(id)}`;
    const asked = await openLive(`/documents/${encodeURIComponent(id)}`);
    await page.getByText('Bees sleep in winter.').waitFor();
    await pushText(id, 'Bees huddle in winter.');
    await page.getByText('Bees huddle in winter.').waitFor();
    await page.getByText('2, indexed: 2').waitFor();
    // Its text is not in the stream: it is read once for each new one.
    expect([...asked]).toEqual([[`${address}/chunks`, 1]]);
    await millrace.call('DELETE', address);
    await page.getByText('There is no document', { exact: false }).first().waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('a job comes to its end without a reload and without asking again', async () => {
    const { page } = tab;
    const queue = '/operations/queues/document-index';
    await millrace.call('POST', `${queue}/pause`, {});
    await pushText('job', 'Bees dance.');
    const waiting = async () =>
      (await millrace.call('GET', `${queue}/jobs?state=waiting`)).body.jobs as { job_id: string }[];
    await expect.poll(waiting).toHaveLength(1);
    const id = (await waiting())[0]?.job_id ?? '';
    const asked = await openLive(`/operations/document-index/jobs/${id}`);
    await page.getByText('waiting', { exact: true }).waitFor();
    await millrace.call('POST', `${queue}/resume`, {});
    await page.getByText('completed', { exact: true }).waitFor();
    await page.getByText('Attempt 1 finished').waitFor();
    expect([...asked]).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  it('a mailbox of returned mail comes, and says that it cannot be read, without asking again', async () => {
    const { page } = tab;
    const { body: account } = await millrace.call('POST', '/email-accounts', {
      email: 'bee@hives.example',
      smtp_host: '127.0.0.1',
      smtp_password: 'a password',
    });
    const asked = await openLive(`/mail/${account.id}`);
    const { status } = await millrace.call('POST', '/bounce-mailboxes', {
      kind: 'imap',
      host: '127.0.0.1',
      port: Number(new URL(site.url).port),
      username: 'bee',
      password: 'a password',
    });
    expect(status).toBe(200);
    const returned = page.getByRole('region', { name: 'Returned mail' });
    await returned.getByText('bee at 127.0.0.1', { exact: false }).waitFor();
    await returned.getByText('failing', { exact: true }).waitFor();
    expect([...asked]).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  it('files of a question are followed until they are read or deleted, without asking again', async () => {
    const { page } = tab;
    const queue = '/operations/queues/user-file';
    await millrace.call('POST', `${queue}/pause`, {});
    await page.goto('/console/ask');
    const asked = countRequests();
    const uploads = page.waitForResponse((response) => response.url().endsWith('/file/upload'));
    await page.locator('input[type=file]').setInputFiles(
      ['hive.txt', 'comb.txt'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(`The ${name} is full.`),
      })),
    );
    const files = page.getByRole('list', { name: 'Attached files' });
    await expect.poll(() => files.getByText('is read …').count()).toBe(2);
    const { user_files: uploaded } = await (await uploads).json();
    await page.evaluate(
      (id) => fetch(`/user/projects/file/${id}`, { method: 'DELETE' }).then(({ ok }) => ok),
      uploaded.find(({ name }: { name: string }) => name === 'comb.txt').id,
    );
    await files.getByText('It was deleted.').waitFor();
    // Once one is gone, the page asks, to know which.
    expect(asked.get('/user/projects/file/statuses')).toBe(1);
    await millrace.call('POST', `${queue}/resume`, {});
    await expect.poll(() => files.getByText('is read …').count()).toBe(0);
    expect(await files.getByText('It was deleted.').count()).toBe(1);
    expect(asked.get('/user/projects/file/statuses')).toBe(1);
    expect(tab.faults).toEqual([]);
  });

  it('documents that were added are followed, more than a stream has topics, without asking again', async () => {
    const { page } = tab;
    const queue = '/operations/queues/document-index';
    await millrace.call('POST', `${queue}/pause`, {});
    const asked = await openLive('/documents');
    await page.getByRole('button', { name: 'Add documents' }).click();
    await page
      .getByRole('dialog')
      .locator('input[type=file]')
      .setInputFiles(
        Array.from({ length: ADDED }, (_, n) => ({
          name: `bee ${n}.md`,
          mimeType: 'text/markdown',
          buffer: Buffer.from(`# Bee ${n}\n\nIt has six legs.`),
        })),
      );
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const added = page.getByRole('region', { name: 'Just added' });
    await expect.poll(() => added.getByText('waiting', { exact: true }).count()).toBe(ADDED);
    await millrace.call('POST', `${queue}/resume`, {});
    await expect.poll(() => added.getByText('searchable', { exact: true }).count()).toBe(ADDED);
    const single = [...asked.keys()].filter((path) => path.startsWith('/service-api/ingestion/'));
    expect(single).toEqual(['/service-api/ingestion/stats']);
    expect(tab.faults).toEqual([]);
  });
});
