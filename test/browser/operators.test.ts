// @module-tag processes
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  becomeOwner,
  hasChromium,
  openBrowser,
  openPage,
  OWNER,
  type WatchedPage,
  WORKSPACE,
} from '#test/support/console-browser.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const HOSTILE = 'moving <img src=x onerror="alert(1)">';

describe.skipIf(!hasChromium)('what operators do, in a browser (needs /usr/bin/chromium)', () => {
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

  it('names a pause among what needs attention, and says in the audit log who did what, by queue and person', async () => {
    const { page } = tab;
    await page.goto('/console/operations/connector-prune');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByLabel('Why').fill(HOSTILE);
    await page.getByRole('button', { name: 'Pause connector-prune' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.goto('/console/operations');
    await page.getByText(`connector-prune: paused by ${OWNER.name}: ${HOSTILE}`).waitFor();
    await page.goto('/console/operations/schedules');
    await page
      .getByRole('row', { name: /file-sweep/ })
      .getByRole('button', { name: 'Run now' })
      .click();
    await page.getByText('file-sweep runs now.').waitFor();
    await page.goto('/console/operations/audit');
    await page.getByText(`${OWNER.name} paused connector-prune: ${HOSTILE}`).waitFor();
    await page.getByText(`${OWNER.name} ran file-sweep by hand`).waitFor();
    await page.getByLabel('Queue').selectOption('file-sweep');
    await page.getByText('paused connector-prune').waitFor({ state: 'detached' });
    await page.getByLabel('Person').selectOption({ label: OWNER.name });
    await page.getByText('Details').click();
    await page.getByText('schedule.run').waitFor();
    await page.getByRole('link', { name: 'file-sweep' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'file-sweep' }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('makes a workspace, whose key works, and sets its plan', async () => {
    const { page } = tab;
    await page.goto('/console/operations/workspaces');
    await page.getByText(WORKSPACE).first().waitFor();
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByLabel('Name').fill('Bakery');
    await page.getByRole('button', { name: 'Make the workspace' }).click();
    const key = await page.locator('.secret code').innerText();
    const { body } = await millrace.call('GET', '/account', undefined, { key });
    expect(body.workspace_name).toBe('Bakery');
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole('row', { name: /Bakery/ });
    await row.getByRole('button', { name: 'Set plan' }).click();
    await page.getByLabel('Plan without a subscription').selectOption('Agency');
    await page.getByRole('button', { name: 'Set the plan' }).click();
    await row.getByText('Agency').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('calls the workspace as the first person said, and as an admin says later', async () => {
    const { page } = tab;
    await page.goto('/console/settings/members');
    const side = page.locator('#side');
    await side.getByText(WORKSPACE).waitFor();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('The other mill');
    await page.getByRole('button', { name: 'Save' }).click();
    await side.getByText('The other mill').waitFor();
    const { body } = await millrace.call('GET', '/account');
    expect(body.workspace_name).toBe('The other mill');
  });

  it('shows every process with its queues, and an address that does not exist once', async () => {
    const { page } = tab;
    await page.goto('/console/operations/workers');
    await page.getByText('17 queues').waitFor();
    await page.getByRole('link', { name: /^document-index 0 of/ }).waitFor();
    await page.goto('/console/operations/no-such-queue');
    await page.getByText('There is no queue "no-such-queue".', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All queues' }).click();
    await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
  });
});
