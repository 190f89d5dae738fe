// @module-tag processes
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBootstrapWorkspace } from '#src/accounts/bootstrap-workspace.ts';
import type { Role } from '#src/tables/accounts.ts';
import {
  hasChromium,
  isTooWide,
  openBrowser,
  openPage,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { insertPerson, PASSWORD } from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const DOCUMENT = {
  id: 'mill',
  semantic_identifier: 'The mill',
  sections: [{ text: 'The mill grinds oats.' }],
  source: 'file',
};

describe.skipIf(!hasChromium)('each role in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    browser = await openBrowser();
    await millrace.call('POST', '/service-api/ingestion', { document: DOCUMENT });
    await millrace.settled();
  });

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
  });

  /** Signs in a person of the operator's workspace; `refused` collects the requests that the service refuses. */
  async function signInAs(role: Role): Promise<WatchedPage & { refused: string[] }> {
    const workspaceId = await findBootstrapWorkspace(millrace.services.db);
    if (workspaceId === null) throw new Error('There is no bootstrap workspace.');
    const { personEmail } = await insertPerson(millrace.services, workspaceId, role);
    const tab = await openPage(browser, new URL(millrace.url).origin);
    const refused: string[] = [];
    tab.page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${tab.page.url()} asks ${response.url()}`);
    });
    await tab.page.goto('/console/');
    await tab.page.getByLabel('E-mail address').fill(personEmail);
    await tab.page.getByLabel('Password').fill(PASSWORD);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    return { ...tab, refused };
  }

  it.each([
    ['admin', 'Overview', []],
    ['member', 'Overview', ['Connectors', 'Webhooks', 'Queues', 'API keys', 'Members']],
    ['ingest', 'Documents', ['Overview', 'Ask', 'Leads', 'Sender accounts', 'Queues']],
    ['read', 'Overview', ['Documents', 'Connectors', 'Queues', 'API keys']],
    ['observer', 'Operations', ['Overview', 'Ask', 'Documents', 'Leads', 'Sender accounts']],
  ] as const)(
    'lets a %s begin at %s and open every page that is shown, none of which is refused',
    async (role, first, hidden) => {
      const { page, context, faults, refused } = await signInAs(role);
      await page.getByRole('heading', { level: 1, name: first, exact: true }).waitFor();
      const pages = page.locator('nav[aria-label=Pages] a');
      const words = await pages.allInnerTexts();
      expect(words.filter((word) => hidden.some((other) => other === word.trim()))).toEqual([]);
      const links = await pages.evaluateAll((anchors) =>
        anchors.map((anchor) => anchor.getAttribute('href') ?? ''),
      );
      expect(links.length).toBeGreaterThan(2);
      for (const link of links) {
        await page.goto(link);
        await page.locator('h1').waitFor();
        await expect.poll(() => page.locator('[aria-label=Loading]').count()).toBe(0);
        expect(await page.locator('.notice.red').count(), link).toBe(0);
        expect(await isTooWide(page), link).toBe(false);
      }
      expect(refused).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  it('shows an observer the queues without anything to press, and says that other pages are not theirs', async () => {
    const { page, context, refused } = await signInAs('observer');
    await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
    await page.goto('/console/operations/document-index');
    await page.getByText('What its workers do now').waitFor();
    expect(await page.getByRole('button', { name: /Pause|Resume|Retry/ }).count()).toBe(0);
    await page.goto('/console/operations/schedules');
    await page.getByText('reconcile').first().waitFor();
    expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
    await page.goto('/console/documents/mill');
    await page.getByText('In this workspace you are observer').waitFor();
    await page.getByRole('link', { name: 'Go to your first page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
    expect(refused).toEqual([]);
    await context.close();
  });

  it('shows whoever pushes documents why one is not searchable, and readers no search that they cannot begin', async () => {
    const pusher = await signInAs('ingest');
    await pusher.page.getByRole('link', { name: 'The mill' }).click();
    await pusher.page.getByRole('heading', { level: 1, name: 'The mill' }).waitFor();
    await pusher.page.getByText('grinds oats').waitFor();
    expect(pusher.refused).toEqual([]);
    await pusher.context.close();

    const reader = await signInAs('read');
    await reader.page.getByRole('link', { name: 'Ask' }).click();
    await reader.page.getByLabel('Question').fill('What does the mill grind?');
    await reader.page.keyboard.press('Enter');
    await reader.page.locator('.source').getByRole('link', { name: 'The mill' }).first().click();
    await reader.page.getByText('Cited passage').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await reader.page.getByRole('link', { name: 'Leads' }).click();
    await reader.page.getByText('Searches for leads will be listed here').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Find leads' }).count()).toBe(0);
    expect(reader.refused).toEqual([]);
    await reader.context.close();
  });
});
