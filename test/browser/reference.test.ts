// @module-tag processes
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openBrowser, openPage } from '#test/support/console-browser.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

describe.skipIf(!hasChromium)('the reference page, in a browser (needs /usr/bin/chromium)', () => {
  let millrace: TestMillrace;
  let browser: Browser;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await millrace?.[Symbol.asyncDispose]();
  });

  it('lists endpoints and webhooks, opens them, and sends a request with a key', async () => {
    const { page, faults } = await openPage(browser, new URL(millrace.url).origin);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'Millrace' }).waitFor();
    await page.getByRole('link', { name: 'Authentication', exact: true }).click();
    await page.getByText('/auth/verify', { exact: true }).first().click();
    await page.getByText('RATE_LIMIT_EXCEEDED').first().waitFor();

    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByLabel('auth-bearer-value').fill(millrace.adminKey);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('"valid": true').waitFor();

    await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
    await page.getByText('document.indexed', { exact: true }).first().click();
    await page.getByText('webhook-signature').first().waitFor();
    // It is in a script of its own: asking for it once more would be in vain.
    expect(asked).not.toContain('/openapi.json');
    expect(faults).toEqual([]);
  });
});
