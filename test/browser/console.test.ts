// @module-tag processes
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFaults,
  becomeOwner,
  hasChromium,
  isTooWide,
  openBrowser,
  openPage,
  OWNER,
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

/** Every page that needs no id. */
const PAGES = [
  '/',
  '/ask',
  '/documents',
  '/connectors',
  '/connectors/new',
  '/connectors/credentials',
  '/connectors/new?kind=web',
  '/connectors/new?kind=confluence',
  '/leads',
  '/mail',
  '/webhooks',
  '/operations',
  '/operations/document-index',
  '/operations/document-index/jobs',
  '/operations/document-index/jobs?state=completed',
  '/operations/workspaces',
  '/operations/workers',
  '/operations/schedules',
  '/operations/alarms',
  '/operations/audit',
  '/settings/keys',
  '/settings/members',
  '/settings/plan',
  '/settings/points',
  '/settings/profile',
  '/no-such-page',
];

describe.skipIf(!hasChromium)('the console in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;
  let origin: string;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    origin = new URL(millrace.url).origin;
    browser = await openBrowser();
    tab = await openPage(browser, origin);
  });

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
  });

  it('goes from the owner link to a cited passage without curl', async () => {
    const { page } = tab;
    await becomeOwner(tab, millrace);

    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('nightly import');
    await page.getByLabel('Role').selectOption('ingest');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.locator('.secret code').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.getByText('nightly import').isVisible()).toBe(true);
    expect(await page.content()).not.toContain(key);

    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByText('Documents will be listed here').waitFor();
    const { status } = await millrace.call('POST', '/service-api/ingestion', handbook(), { key });
    expect(status).toBe(200);
    // Without a reload: the page follows what happens.
    const row = page.getByRole('row', { name: /The beekeeper’s handbook/ });
    await row.getByText('searchable').waitFor();

    await page.getByRole('link', { name: 'Ask' }).click();
    await page.getByLabel('Question').fill('When is honey harvested?');
    await page.keyboard.press('Enter');
    await page.getByText('Honey is harvested in late July', { exact: false }).first().waitFor();
    await page.locator('button.citation').first().click();
    await page
      .locator('.source:focus')
      .getByRole('link', { name: /handbook/ })
      .click();
    await page.getByText('Cited passage').waitFor();
    expect(await page.locator('.chunks .cited').innerText()).toContain('late July');
    expect(tab.faults).toEqual([]);
  });

  it.each([1280, 375])('has no serious accessibility fault and fits at %s px', async (width) => {
    await using stack = new AsyncDisposableStack();
    const other = await openPage(browser, origin, { width });
    stack.defer(() => other.context.close());
    await other.context.addCookies(await tab.context.cookies());
    for (const path of PAGES) {
      await other.page.goto(`/console${path}`);
      await other.page.locator('h1').waitFor();
      const loading = other.page.locator('[aria-label=Loading]');
      await expect.poll(() => loading.count()).toBe(0);
      expect(await accessibilityFaults(other), path).toEqual([]);
      expect(await isTooWide(other.page), path).toBe(false);
      // Only colours differ in the dark.
      await other.page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityFaults(other, ['color-contrast']), `${path}, dark`).toEqual([]);
      await other.page.emulateMedia({ colorScheme: 'light' });
    }
    expect(other.faults).toEqual([]);
  });

  it('keeps the names of queues readable at every width', async () => {
    const { page } = tab;
    for (const width of [900, 1000, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto('/console/operations');
      const name = page.getByRole('link', { name: 'document-index', exact: true });
      await name.waitFor();
      expect(await name.evaluate((link) => link.scrollWidth <= link.clientWidth), `${width}`).toBe(
        true,
      );
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('is used by keyboard alone: the drawer of pages, the search, a dialog that gives the focus back', async () => {
    const { page } = tab;
    await page.goto('/console/documents');
    await page.locator('h1').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('webh');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('beekeeper');
    await page.getByRole('option', { name: /beekeeper’s handbook/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'The beekeeper’s handbook' }).waitFor();
    await page.goto('/console/webhooks');
    const add = page.getByRole('button', { name: 'New endpoint' });
    await add.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await add.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('signs out, and comes back after signing in only to a page of its own', async () => {
    const { page } = tab;
    await page.goto('/console/settings/profile');
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto('/console/sign-in?next=//evil.example/console');
    await page.getByLabel('E-mail address').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(page.url()).origin).toBe(origin);
  });
});

function handbook(): object {
  return {
    document: {
      id: 'bees/handbook',
      semantic_identifier: 'The beekeeper’s handbook',
      sections: [{ text: 'Honey is harvested in late July, when the combs are capped.' }],
      source: 'file',
      metadata: {},
    },
  };
}
