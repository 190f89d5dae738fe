// @module-tag smoke
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const basic = (key: string) => ({ Authorization: `Basic ${btoa(`anyone:${key}`)}` });
const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  millrace.call(method, path, undefined, { key: null, headers });

/** The URLs that a page loads by itself. */
function loadedBy(html: string): string[] {
  const tags = html.match(/<(?:script|link|img|iframe|source)\b[^>]*>/g) ?? [];
  return tags.flatMap((tag) => /(?:src|href)="([^"]+)"/.exec(tag)?.[1] ?? []);
}

describe.each([
  ['/docs', {}],
  ['/docs/', {}],
  ['/api/docs', {}],
  ['/admin/queues', basic('test-bootstrap-admin-key-0123456789')],
])('the page at %s', (path, headers) => {
  it('loads everything from this origin, and its policy allows nothing else', async () => {
    const page = await open(path, headers);
    expect(page.status).toBe(200);
    expect(page.headers.get('Content-Type')).toMatch(/^text\/html/);
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/default-src '(none|self)'/);
    expect(policy).not.toMatch(/https?:|\*/);
    const base = /<base href="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const loaded = loadedBy(page.text).map(
      (address) => new URL(address, new URL(base, millrace.url + path)),
    );
    expect(loaded.length).toBeGreaterThan(2);
    for (const { origin, pathname } of loaded) {
      expect(origin).toBe(millrace.url);
      const asset = await open(pathname, headers);
      expect(asset.status, pathname).toBe(200);
      expect(asset.text.length).toBeGreaterThan(0);
      if (asset.headers.get('Content-Type')?.startsWith('text/css')) {
        expect(asset.text).not.toMatch(/(?:@import|url\()\s*["']?(?:https?:)?\/\//);
      }
    }
  });
});

describe('the queue dashboard', () => {
  const pause = '/admin/queues/api/queues/document-index/pause';

  it('opens only to admins of the bootstrap workspace', async () => {
    const refused = await open('/admin/queues');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toMatch(/^Basic/);
    const other = await millrace.createWorkspace();
    const keys = [other.key];
    for (const role of ['member', 'ingest', 'read'] as const) {
      keys.push((await createKey(millrace, millrace.adminKey, role)).key);
    }
    for (const key of keys) {
      for (const path of [
        '/admin/queues',
        '/admin/queues/api/queues',
        '/admin/queues/static/x.js',
      ]) {
        const { status, body } = await open(path, basic(key));
        expect([status, body.error_code]).toEqual([403, 'UNAUTHORIZED']);
      }
      expect((await open(pause, basic(key), 'PUT')).status).toBe(403);
    }
    const { status, body } = await open('/admin/queues/api/queues', basic(millrace.adminKey));
    expect(status).toBe(200);
    expect(body.queues.map((queue: { name: string }) => queue.name)).toContain('document-index');
  });

  it('refuses changes from pages of other origins and accepts those from its own', async () => {
    const admin = basic(millrace.adminKey);
    const foreign = [
      { Origin: 'https://elsewhere.test' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: millrace.url },
      {},
    ];
    for (const headers of foreign) {
      const { status, body } = await open(pause, { ...admin, ...headers }, 'PUT');
      expect([status, body.error_code]).toEqual([403, 'UNAUTHORIZED']);
    }
    const own = { ...admin, Origin: millrace.url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await open(pause, own, 'PUT')).status).toBe(200);
    expect((await open(pause.replace('pause', 'resume'), own, 'PUT')).status).toBe(200);
  });

  it('cannot be reached by another spelling of its path', async () => {
    for (const path of [
      '/api/admin/queues',
      '/admin//queues',
      '/Admin/Queues',
      '/admin%2Fqueues',
    ]) {
      expect((await open(path)).status).toBe(404);
    }
  });
});
