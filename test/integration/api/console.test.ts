// @module-tag smoke
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBootstrapWorkspace } from '#src/accounts/bootstrap-workspace.ts';
import { insertPerson, signIn } from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) =>
  millrace.call('GET', path, undefined, { key: null, headers });

it('answers every address of the console with one page that no other site may frame', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/documents/a%2Fb',
    '/console/..%2f..%2fetc',
  ]) {
    const { status, headers, text } = await get(path);
    expect(status, path).toBe(200);
    expect(text).toContain('<div id="app">');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('serves its files for good under the version that the page names, compressed and tagged', async () => {
  const address = await scriptAddress();
  const { status, headers, text } = await get(address, { 'accept-encoding': 'br' });
  expect(status).toBe(200);
  expect(text).toContain('render(');
  expect(headers.get('content-type')).toContain('text/javascript');
  expect(headers.get('cache-control')).toContain('immutable');
  const again = await get(address, {
    'accept-encoding': 'br',
    // Otherwise `fetch` adds no-cache, which asks for the whole.
    'cache-control': 'max-age=0',
    'if-none-match': headers.get('etag') ?? '',
  });
  expect(again.status).toBe(304);
});

it('compresses what its pages read, and nothing for programs with a key', async () => {
  const workspaceId = await findBootstrapWorkspace(millrace.services.db);
  if (workspaceId === null) throw new Error('There is no bootstrap workspace.');
  const { personEmail } = await insertPerson(millrace.services, workspaceId, 'admin');
  const browser = await signIn(millrace, personEmail);
  const path = '/manage/admin/connector-kinds';
  const packed = await browser.call('GET', path);
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(packed.headers.get('vary')).toContain('Accept-Encoding');
  const plain = await millrace.call('GET', path);
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.body).toEqual(packed.body);
  const refusing = await browser.call('GET', path, undefined, { 'Accept-Encoding': 'identity' });
  expect(refusing.headers.get('content-encoding')).toBeNull();
});

it('serves no other file, whatever the path', async () => {
  const folder = (await scriptAddress()).replace(/web\/app\.ts$/, '');
  for (const path of [
    `${folder}web/tsconfig.json`,
    `${folder}web/../../package.json`,
    `${folder}..%2f..%2fweb-files.ts`,
    `${folder}web/%2e%2e/%2e%2e/package.json`,
    `${folder}packages/preact/package.json`,
    '/console/assets/another-version/web/app.ts',
  ]) {
    // `fetch` would resolve the dots itself.
    const { status } = await get(path);
    expect(status, path).toBe(404);
  }
});

it('refuses to change anything', async () => {
  const { status, headers } = await millrace.call('POST', '/console/', {}, { key: null });
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('GET, HEAD');
});

async function scriptAddress(): Promise<string> {
  const { text } = await get('/console/');
  return /<script type="module" src="([^"]+)"/.exec(text)?.[1] ?? '';
}
