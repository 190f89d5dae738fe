import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { ApiClient } from './api-client.ts';

const CHROMIUM = '/usr/bin/chromium';
/** The same engine without windows, a package of its own: the tests take a third less processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
export const hasChromium = existsSync(CHROMIUM);

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const OWNER = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  password: 'correct horse battery',
};

/** The name that the first person gives the operator's workspace. */
export const WORKSPACE = 'The mill';

/** A tab whose every fault is kept: scripts that failed, what the policy blocked, requests to others, alerts. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: string[];
}

export function openBrowser(): Promise<Browser> {
  const executablePath = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM;
  return chromium.launch({ executablePath, args: FLAGS });
}

export async function openPage(
  browser: Browser,
  origin: string,
  { width = 1280 }: { width?: number } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: 'light',
    baseURL: origin,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('console', (message) => {
    // A refused request is told by the page itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      faults.push(`foreign request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, faults };
}

/** The first person of the deployment: follows the owner link and makes the account. */
export async function becomeOwner({ page }: WatchedPage, millrace: ApiClient): Promise<void> {
  const { body: owner } = await millrace.call('POST', '/manage/admin/owner-link', {});
  await page.goto(`/console/welcome${new URL(owner.link).hash}`);
  await page.getByLabel('Name of the workspace').fill(WORKSPACE);
  await page.getByLabel('Your name').fill(OWNER.name);
  await page.getByLabel('E-mail address').fill(OWNER.email);
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password);
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

const axeSource = (): string =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds serious or critical, each as a sentence. Evaluated beside the page's own policy.
 * @param runOnly the ids of its rules; by default all of them
 */
export async function accessibilityFaults(
  { page, context }: WatchedPage,
  runOnly: readonly string[] | null = null,
): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(runOnly && { runOnly }) };
  const session = await context.newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource() });
  const { result } = await session.send('Runtime.evaluate', {
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`,
  });
  await session.detach();
  return result.value;
}

/** Whether the page is wider than the window, so that one would have to scroll sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}
