// @module-tag processes
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentDns } from '#test/support/email-stage.ts';
import {
  accessibilityFaults,
  becomeOwner,
  hasChromium,
  isTooWide,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { firmPages, type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '#test/support/scripted-smtp.ts';
import { openTestMailer, SMTP_HOST } from '#test/support/smtp-mailer.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

describe.skipIf(!hasChromium)(
  'outreach and webhooks in a browser (needs /usr/bin/chromium)',
  () => {
    let millrace: TestMillrace;
    let browser: Browser;
    let tab: WatchedPage;
    let server: ScriptedSmtp;
    let receiver: WebhookReceiver;
    let site: LeadSite;

    beforeAll(async () => {
      server = await startScriptedSmtp();
      receiver = await startReceiver();
      site = await startLeadSite({
        ...firmPages('Hartley Coffee', 'hartley.example'),
        '/contact': (_request, response) => void response.writeHead(500).end(),
      });
      millrace = await startTestMillrace({
        OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
        LEAD_REQUEST_GAP_MS: '0',
      });
      // The name that the server's certificate covers leads to the scripted server.
      const mailer = openTestMailer({ [SMTP_HOST]: [server.address] });
      Object.assign(millrace.services, { mailer, dns: silentDns });
      browser = await openBrowser();
      tab = await openPage(browser, new URL(millrace.url).origin);
      await becomeOwner(tab, millrace);
    });

    afterAll(async () => {
      await browser?.close();
      await millrace?.[Symbol.asyncDispose]();
      await site?.[Symbol.asyncDispose]();
      await receiver?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    const looksRight = async (): Promise<void> => {
      expect(await accessibilityFaults(tab)).toEqual([]);
      expect(await isTooWide(tab.page)).toBe(false);
      expect(tab.faults).toEqual([]);
    };

    it('a sender account says what is wrong three times, each time something else, and then works', async () => {
      const { page } = tab;
      const dialog = page.getByRole('dialog');
      const verify = async (sentence: string): Promise<void> => {
        await page.getByRole('button', { name: 'Verify' }).click();
        await dialog.getByLabel('To').fill('bob@other.example');
        await dialog.getByRole('button', { name: 'Send a test message' }).click();
        // In a row of the table, too, where it stays.
        await page.getByRole('row', { name: sentence }).waitFor();
      };
      await page.goto('/console/mail');
      await page.getByRole('button', { name: 'New sender account' }).click();
      await dialog.getByLabel('Address').fill('ada@acme.example');
      await dialog.getByLabel('Mail server').fill('nowhere.acme.example');
      await dialog.getByLabel('Port').fill('2525');
      await dialog.getByLabel('Password').fill('correct horse');
      await dialog.getByRole('button', { name: 'Add the account' }).click();
      await page.getByRole('link', { name: 'ada@acme.example' }).click();
      await page.getByText('It sends nothing before it is verified').waitFor();
      expect(await page.content()).not.toContain('correct horse');
      await verify('nowhere.acme.example does not resolve to a mail server');

      await page.getByRole('button', { name: 'Change' }).click();
      await dialog.getByLabel('Mail server').fill(SMTP_HOST);
      await dialog.getByLabel('Password').fill('correct horse');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      server.script = { auth: '535 5.7.8 wrong' };
      await verify(`${SMTP_HOST} did not accept the user name and password`);
      server.script = { rcpt: '553 5.7.1 <ada@acme.example>: Sender address rejected: not owned' };
      await verify(`${SMTP_HOST} does not let this account send as ada@acme.example`);
      await looksRight();

      server.script = {};
      await page.getByRole('button', { name: 'Verify' }).click();
      await dialog.getByLabel('To').fill('bob@other.example');
      await dialog.getByRole('button', { name: 'Send a test message' }).click();
      await page.getByText('The account is ready to send').waitFor();
      await page.getByText('It sends nothing before it is verified').waitFor({ state: 'detached' });
      expect(server.messages).toHaveLength(1);
    });

    it('a receiver that fails is seen with its answer, and gets what it missed once it is mended', async () => {
      const { page } = tab;
      receiver.behave = () => ({ kind: 'answer', status: 500, body: 'The disk is full.' });
      await page.goto('/console/webhooks');
      await page.getByRole('button', { name: 'New endpoint' }).first().click();
      await page.getByLabel('Address').fill(`${receiver.url}/hook`);
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('The disk is full.').first().waitFor();
      await looksRight();

      // What happens while it is disabled was never sent.
      await page.getByRole('link', { name: 'Endpoint' }).click();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
      for (const id of ['one', 'two']) {
        const document = { id, semantic_identifier: id, sections: [{ text: id }], source: 'file' };
        await millrace.call('POST', '/service-api/ingestion', { document });
      }
      await millrace.settled();
      receiver.behave = () => ({ kind: 'answer', status: 204 });
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Disable' }).waitFor();
      const before = receiver.requests.length;
      await page.getByRole('button', { name: 'Recover' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Missed since').fill('2020-01-01T00:00');
      await dialog.getByRole('button', { name: 'Count' }).click();
      const send = dialog.getByRole('button', { name: /^Send \d+ events?$/ });
      await send.waitFor();
      // Nothing is sent before somebody has agreed to the count.
      expect(receiver.requests.length).toBe(before);
      const counted = Number(/\d+/.exec(await send.innerText())?.[0]);
      expect(counted).toBeGreaterThan(0);
      await send.click();
      await expect.poll(() => receiver.requests.length).toBeGreaterThanOrEqual(before + counted);
      await page
        .getByRole('row', { name: /delivered/ })
        .first()
        .waitFor();
      await looksRight();
    });

    it('a search for leads is followed by site, says what is missing, and is saved as CSV', async () => {
      const { page } = tab;
      await page.goto('/console/leads');
      await page.getByRole('button', { name: 'Find leads' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Look', { exact: true }).selectOption('scrape_url');
      await dialog.getByLabel('Words or address').fill(site.url);
      await dialog.getByRole('button', { name: 'Begin' }).click();
      await page.getByRole('row', { name: /Ada Hartley/ }).waitFor();
      await page.getByText('completed').first().waitFor();
      await page.getByText(/was read in part: 1 page could not be read/).waitFor();
      await page.getByRole('table', { name: 'Sites' }).getByText('in part').waitFor();
      await page
        .getByRole('row', { name: /Ada Hartley/ })
        .getByRole('button')
        .click();
      await page.getByRole('dialog').getByText('behind a mail link').first().waitFor();
      await page.keyboard.press('Escape');
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      const csv = await readFile(await (await saving).path(), 'utf8');
      expect(csv.split('\r\n')[0]).toContain('"email"');
      expect(csv).toContain('ada.hartley@hartley.example');
      await looksRight();
    });
  },
);
