// @module-tag processes
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFaults,
  becomeOwner,
  hasChromium,
  isTooWide,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

describe.skipIf(!hasChromium)('everyday work in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    browser = await openBrowser();
    tab = await openPage(browser, new URL(millrace.url).origin);
    await becomeOwner(tab, millrace);
    const { db } = millrace.services;
    const { rows } = await sql<{ id: string }>`select id from workspace`.execute(db);
    const workspaceId = rows[0]?.id ?? '';
    const pair = await insertPair(db, workspaceId, 'Wiki', await ownerOf(db, workspaceId));
    for (const name of ['oats', 'rye', 'wheat', 'barley']) {
      await millrace.call('POST', '/service-api/ingestion', {
        document: {
          id: `grain/${name}`,
          semantic_identifier: `About ${name}`,
          sections: [{ text: `The mill grinds ${name} on Mondays.` }],
          source: name === 'oats' ? 'web' : 'file',
        },
        ...(name === 'oats' && { cc_pair_id: pair }),
      });
    }
    const set = { name: 'Breakfast', cc_pair_ids: [pair] };
    await millrace.call('POST', '/manage/admin/document-set', set);
    await millrace.settled();
    await sql`update document set status = 'failed', attempts = 8, error = 'The embedder is away.'
      where external_id in ('grain/rye', 'grain/wheat')`.execute(db);
  });

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
  });

  const looksRight = async (): Promise<void> => {
    expect(await accessibilityFaults(tab)).toEqual([]);
    expect(await isTooWide(tab.page)).toBe(false);
    expect(tab.faults).toEqual([]);
  };
  const titles = () => tab.page.locator('table a.row-link').allInnerTexts();

  it('the search says why a document is not searchable', async () => {
    const { page } = tab;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('grain/rye');
    await page.getByRole('option', { name: /About rye/ }).waitFor();
    await page.getByText('Indexing failed after 8 attempt(s): The embedder is away.').waitFor();
    await looksRight();
    await page.keyboard.press('Escape');
  });

  it('documents are narrowed, chosen, tried again, deleted after the count, and added as files and text', async () => {
    const { page } = tab;
    await page.goto('/console/documents');
    await page.getByLabel('Document set').selectOption('Breakfast');
    await expect.poll(titles).toEqual(['About oats']);
    await page.getByLabel('Document set').selectOption('');
    await page.getByLabel('Title or id').fill('GRAIN/');
    await page.getByLabel('State').selectOption('failed');
    await expect.poll(titles).toEqual(['About wheat', 'About rye']);
    const search = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(search).toEqual({ q: 'GRAIN/', status: 'failed' });

    await page.getByLabel('Choose About rye').check();
    await page.getByRole('button', { name: 'Try 1 again' }).click();
    await expect.poll(titles).toEqual(['About wheat']);
    await page.getByRole('button', { name: 'Try all again' }).click();
    await page.getByRole('button', { name: 'Try 1 document again' }).click();
    await page.getByText('No document matches all of these filters.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(async () => (await titles()).length).toBe(4);

    await page.getByLabel('Choose all on this page').check();
    await page.getByLabel('Choose About oats').uncheck();
    await looksRight();
    await page.getByRole('button', { name: 'Delete 3 …' }).click();
    await page.getByRole('button', { name: 'Delete 3 documents' }).click();
    await expect.poll(titles).toEqual(['About oats']);

    await page.getByRole('button', { name: 'Add documents' }).click();
    await page
      .getByRole('dialog')
      .locator('input[type=file]')
      .setInputFiles([
        { name: 'spelt.md', mimeType: 'text/markdown', buffer: Buffer.from('# Spelt\n\nIs old.') },
        { name: 'nothing.txt', mimeType: 'text/plain', buffer: Buffer.from('') },
      ]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const added = page.getByRole('region', { name: 'Just added' });
    await added.getByText('nothing.txt is empty.').waitFor();
    await page.getByRole('button', { name: 'Add documents' }).click();
    await page.getByLabel('What').selectOption('text');
    await page.getByLabel('Title', { exact: true }).fill('Emmer');
    await page.getByLabel('Text', { exact: true }).fill('Emmer is older still.');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    // Without a reload: both are followed until they are searchable.
    await expect.poll(() => added.getByText('searchable').count()).toBe(2);
    await expect.poll(titles).toEqual(['Emmer', 'Spelt', 'About oats']);
    await looksRight();
  });

  it('a question goes to a document set, with a file, in a chat that gets another name', async () => {
    const { page } = tab;
    await page.goto('/console/ask');
    await page.getByLabel('Search in').selectOption('Breakfast');
    await page.locator('input[type=file]').setInputFiles({
      name: 'plan.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('The mill stands still in August.'),
    });
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText('plan.txt').waitFor();
    await expect.poll(() => files.getByText('is read …').count()).toBe(0);
    const asked = page.waitForRequest((request) => request.url().endsWith('/send-chat-message'));
    await page.getByLabel('Question').fill('What does the mill grind on Mondays?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    expect((await asked).postDataJSON()).toMatchObject({
      search_filters: { document_set: ['Breakfast'] },
      file_descriptors: [{ name: 'plan.txt' }],
    });
    await page.getByRole('list', { name: 'Files asked about' }).getByText('plan.txt').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('set')).toBe('Breakfast');
    await looksRight();

    const chats = page.getByRole('complementary', { name: 'Chats' });
    await chats.getByRole('button', { name: /Rename the chat/ }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Mondays');
    await page.getByRole('button', { name: 'Save' }).click();
    // The question itself ends in "Mondays": only the exact name shows that the chat is renamed.
    const renamed = chats.getByRole('button', { name: 'Delete the chat Mondays', exact: true });
    await renamed.waitFor();
    await page.reload();
    await page.getByRole('list', { name: 'Files asked about' }).getByText('plan.txt').waitFor();
    await renamed.click();
    await page.getByRole('button', { name: 'Delete 1 chat' }).click();
    await page.getByText('Your chats will be listed here.').waitFor();
  });

  it('the drawer of a phone keeps the focus, and Esc closes it', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto('/console/documents');
    const opener = page.getByRole('button', { name: 'Navigation', exact: true });
    await opener.click();
    const place = () =>
      page.evaluate(() => document.activeElement?.closest('#side, main, header')?.id ?? '');
    await expect.poll(place).toBe('side');
    const places = new Set<string>();
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press('Tab');
      places.add(await place());
    }
    places.delete(''); // the browser's own bars
    expect([...places]).toEqual(['side']);
    await looksRight();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => opener.evaluate((element) => element === document.activeElement))
      .toBe(true);
    await opener.click();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await expect.poll(() => opener.getAttribute('aria-expanded')).toBe('false');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('a credential that is used is not deleted, and the page says by whom', async () => {
    const { page } = tab;
    const { db } = millrace.services;
    const made = await millrace.call('POST', '/manage/credential', {
      name: 'Robot',
      source: 'imap',
      credential_json: { imap_username: 'robot@example.com', imap_password: 'hunter2 hunter2' },
    });
    expect(made.status, made.text).toBe(200);
    await sql`with linked as (
        insert into connector (workspace_id, name, source, kind, input_type, access_type, settings)
        select workspace_id, name, 'imap', 'imap', 'poll', 'public', '{}' from cc_pair
        where name = 'Wiki' returning id)
      update cc_pair set credential_id = ${made.body.id}, connector_id = (select id from linked)
      where name = 'Wiki'`.execute(db);
    const refused = await millrace.call('DELETE', `/manage/credential/${made.body.id}`);
    expect(refused.body.detail).toContain('is in use by the pair "Wiki".');
    await page.goto('/console/connectors/credentials');
    const row = page.getByRole('row', { name: /Robot/ });
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Wiki' }).waitFor();
    expect(await page.content()).not.toContain('hunter2');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await row.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog').getByLabel(/^Name/).fill('Other robot');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Other robot/ }).waitFor();
    await looksRight();
  });

  it('the page of a sender account shows the pace of its provider and names where mail comes back', async () => {
    const { page } = tab;
    const { body: account } = await millrace.call('POST', '/email-accounts', {
      email: 'ann@gmail.com',
      smtp_password: 'hunter2 hunter2',
    });
    await page.goto(`/console/mail/${account.id}`);
    const pace = page.getByRole('region', { name: 'Pace of sending' });
    await pace.getByText('Gmail').waitFor();
    await pace.getByText('500 within 24 hours').waitFor();
    const returned = page.getByRole('region', { name: 'Returned mail' });
    await returned.getByRole('button', { name: 'Name a mailbox' }).click();
    await page.getByLabel('How it is read').selectOption('webhook');
    await page.getByRole('button', { name: 'Name it' }).click();
    const address = await page.locator('.secret code').innerText();
    expect(address).toContain('/returned-mail/');
    await page.getByRole('button', { name: 'Done' }).click();
    await returned.getByText('nothing came yet').waitFor();
    const report = { reports: [{ kind: 'bounced', recipient: 'gone@example.com' }] };
    const posted = await millrace.call('POST', new URL(address).pathname, report, { key: null });
    expect(posted.status, posted.text).toBe(200);
    expect(await page.content()).not.toContain(address);

    await returned.getByRole('button', { name: 'Name a mailbox' }).click();
    await page.getByLabel('Server').fill('127.0.0.1');
    await page.getByLabel('Password').fill('hunter2 hunter2');
    await page.getByRole('button', { name: 'Name it' }).click();
    await page.getByRole('alert').first().waitFor();
    await looksRight();
    await page.keyboard.press('Escape');
    await returned.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 1 address' }).click();
    await returned.getByText('Name the mailbox in which they arrive').waitFor();
  });
});
