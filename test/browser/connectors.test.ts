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
  type WatchedPage,
} from '#test/support/console-browser.ts';
import { type FakeSource, startFakeSource } from '#test/support/fake-source.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const HOSTILE = '<img src=x onerror="alert(1)">';

describe.skipIf(!hasChromium)('connectors in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;
  let tab: WatchedPage;
  let site: FakeSource;
  let gone = false;

  beforeAll(async () => {
    millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
    site = await startFakeSource(({ url }) => answer(url.pathname, gone));
    browser = await openBrowser();
    tab = await openPage(browser, new URL(millrace.url).origin);
    await becomeOwner(tab, millrace);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await millrace?.[Symbol.asyncDispose]();
  });

  const title = (name: string | RegExp): Promise<void> =>
    tab.page.getByRole('heading', { level: 1, name }).waitFor();

  it('goes from the choice of a kind to documents that are found, told what is wrong on the way', async () => {
    const { page } = tab;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await title('Connectors');
    await page.getByRole('link', { name: 'Connect the first' }).click();
    await page.getByRole('link', { name: /^Web site/ }).click();
    await title('New connector: Web site');
    await page.getByLabel('Address').fill(`${site.url}/nowhere`);
    await page.getByRole('button', { name: 'Check the source' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('There is no page at');
    await page.getByLabel('Address').fill(`${site.url}/`);
    await page.getByRole('button', { name: 'Check the source' }).click();
    await page.getByText('Web site answers.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Bee site');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await title('Bee site');
    // Without a reload: the page follows the run.
    await page
      .getByRole('table', { name: 'Runs' })
      .getByText(/succeeded|with errors/)
      .waitFor();
    await page
      .locator('.figure', { hasText: 'Documents' })
      .getByText('3', { exact: true })
      .waitFor();
    await page.locator('.figure a').click();
    await page.getByRole('row', { name: /Hives/ }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('names the field that is wrong, and asks for the secrets of a new credential alone', async () => {
    const { page } = tab;
    await page.goto('/console/connectors/new?kind=tracker');
    await page.getByLabel('Credential').waitFor();
    expect(await page.locator('[name="credential_json.jira_api_token"]').getAttribute('type')).toBe(
      'password',
    );
    await page.getByRole('button', { name: 'Check the source' }).click();
    await page.locator('.wrong').first().waitFor();
    expect(await page.locator('[aria-invalid=true]').first().getAttribute('name')).toBe(
      'connector_specific_config.tracker_base_url',
    );
    expect((await millrace.call('GET', '/manage/admin/credential')).body).toHaveLength(1);
  });

  it('pauses, resumes, asks for the count before anything is removed, and keeps sets', async () => {
    const { page } = tab;
    await openPair('Bee site');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('region', { name: 'Document sets' }).getByRole('button').click();
    await page.getByLabel('New set').fill('Bees');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 connector').waitFor();

    await expect.poll(() => page.getByText('under way').count()).toBe(0);
    gone = true;
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Remove what is gone' }).click();
    await page.getByRole('button', { name: 'Compare 3 documents' }).click();
    await page.getByRole('button', { name: 'Remove 2 documents' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove 2 documents' }).click();
    await page
      .locator('.figure', { hasText: 'Documents' })
      .getByText('1', { exact: true })
      .waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('shows what a source says as text, fits every width, and has no serious accessibility fault', async () => {
    const { page } = tab;
    const made = await millrace.call('POST', '/manage/admin/connector-with-mock-credential', {
      name: `Name ${HOSTILE}`,
      source: 'web',
      input_type: 'poll',
      access_type: 'public',
      connector_specific_config: { base_url: `${site.url}/${HOSTILE}` },
    });
    expect(made.status).toBe(200);
    await page.goto('/console/connectors');
    await page.getByText(HOSTILE).first().waitFor();
    await page.goto(`/console/connectors/${made.body.data}`);
    await title(/onerror/);
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await openPair('Bee site');
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await accessibilityFaults(tab)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(tab.faults).toEqual([]);
  });

  it('is deleted with the number of its documents', async () => {
    const { page } = tab;
    await openPair('Bee site');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 1 connector and 1 document' }).click();
    await title('Connectors');
    await page.getByRole('link', { name: 'Bee site' }).waitFor({ state: 'detached' });
    expect(tab.faults).toEqual([]);
  });

  async function openPair(name: string): Promise<void> {
    await tab.page.goto('/console/connectors');
    await tab.page.getByRole('link', { name }).click();
    await title(name);
  }
});

function answer(path: string, isGone: boolean) {
  const pages: Record<string, string> = {
    '/': `<a href="/hives">Hives</a> <a href="/honey">Honey</a>`,
    '/hives': 'A hive holds some fifty thousand bees in summer, and far fewer in winter.',
    '/honey': `Honey is harvested in late July, when the combs are capped.`,
  };
  const hostile = decodeURIComponent(path).includes('onerror');
  const text = hostile ? `<p>Hello ${'bees '.repeat(20)}</p>` : pages[path];
  const isMissing = text === undefined || (isGone && path !== '/' && !hostile);
  const shown = isGone ? 'Nothing is left here but this one page about bees.' : text;
  if (isMissing) return { status: 404, headers: HTML, body: '<h1>Not found</h1>' };
  return {
    headers: HTML,
    body: `<!doctype html><title>${titleOf(path)}</title><main><h1>${titleOf(path)}</h1><p>${shown}</p></main>`,
  };
}

const HTML = { 'content-type': 'text/html' };

function titleOf(path: string): string {
  return path === '/' ? 'Bees' : path === '/hives' ? 'Hives' : 'Honey';
}
