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

const HOSTILE = '<img src=x onerror="alert(1)">';

/** Every page that needs no id. */
const PAGES = [
  '/',
  '/ask',
  '/documents',
  '/connectors',
  '/connectors/new',
  '/connectors/new?kind=web',
  '/connectors/new?kind=confluence',
  '/leads',
  '/mail',
  '/webhooks',
  '/operations',
  '/operations/document-index',
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

  it('shows hostile text as text, everywhere', async () => {
    const { page } = tab;
    await plantHostileText(millrace);
    for (const path of ['/documents', '/settings/keys', '/settings/members', '/webhooks']) {
      await page.goto(`/console${path}`);
      await page.getByText(HOSTILE).first().waitFor();
    }
    await page.goto('/console/documents/hostile');
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it.each([
    { width: 1280, dark: false },
    { width: 1280, dark: true },
    { width: 375, dark: false },
    { width: 375, dark: true },
  ])('has no serious accessibility fault and fits at $width px, dark: $dark', async (look) => {
    await using stack = new AsyncDisposableStack();
    const other = await openPage(browser, origin, look);
    stack.defer(() => other.context.close());
    await other.context.addCookies(await tab.context.cookies());
    for (const path of PAGES) {
      await other.page.goto(`/console${path}`);
      await other.page.locator('h1').waitFor();
      const loading = other.page.locator('[aria-label=Loading]');
      await expect.poll(() => loading.count()).toBe(0);
      expect(await accessibilityFaults(other), path).toEqual([]);
      expect(await isTooWide(other.page), path).toBe(false);
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

async function plantHostileText(millrace: TestMillrace): Promise<void> {
  await millrace.call('POST', '/service-api/ingestion', {
    document: {
      id: 'hostile',
      semantic_identifier: `Title ${HOSTILE}`,
      sections: [{ text: `Text ${HOSTILE}`, link: 'javascript:alert(1)' }],
      source: 'web',
      metadata: {},
    },
  });
  await millrace.call('POST', '/account/api-keys', { name: HOSTILE, role: 'read' });
  await millrace.call('POST', '/account/members', { display_name: HOSTILE });
  await millrace.call('POST', '/webhook-endpoints', {
    url: 'https://hooks.example.com/',
    description: HOSTILE,
  });
  await millrace.settled();
}
