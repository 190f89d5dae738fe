// @module-tag peers
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { web } from '#src/connectors/kinds/web/web.ts';
import { drivePeer, type PeerDrive } from '#test/support/drive-peer.ts';

/** Not linked, excluded by robots.txt, or read under another URL. */
const ELSEWHERE = new Set(['developers-reference.html', 'index.html', 'l10n.html', 'search.html']);

const url = process.env['TEST_WEB_URL'];

let opened: AsyncDisposableStack;
beforeEach(() => {
  opened = new AsyncDisposableStack();
});
afterEach(() => opened.disposeAsync());

/** A Debian manual built with Sphinx. */
describe.skipIf(!url)('the web connector at nginx (needs TEST_WEB_URL)', () => {
  const { origin, searchParams } = new URL(url ?? 'http://localhost');
  const crawl = (settings: object = {}): PeerDrive =>
    opened.use(
      drivePeer(web, { settings: { base_url: `${origin}/`, ...settings }, credential: {} }),
    );
  const pages = readdirSync(searchParams.get('folder') ?? '.')
    .filter((name) => name.endsWith('.html') && !ELSEWHERE.has(name))
    .map((name) => `/${name}`)
    .concat('/')
    .toSorted();
  const pathOf = (id: string): string => new URL(id).pathname;

  it('reads each page once, obeys robots.txt, and learns from a 304 that nothing has changed', async () => {
    const drive = crawl();
    const first = await drive.poll();
    const asked = drive.answers();
    expect(first.failures).toEqual([]);
    expect(first.documents.map(({ id }) => pathOf(id)).toSorted()).toEqual(pages);
    expect(first.skipped).toEqual([
      { documentId: null, reason: 'the same text as another page' },
      { documentId: `${origin}/l10n.html`, reason: 'robots.txt does not allow it' },
    ]);
    const twin = '/index.html';
    const answers = (status: number): string[] =>
      [...pages, twin].map((path) => `${status} ${path}`);
    const robots = '200 /robots.txt';
    expect(new Set(asked)).toEqual(new Set([robots, ...answers(200)]));
    const second = await drive.poll();
    expect(second.documents).toEqual([]);
    expect(second.unchanged.map(pathOf).toSorted()).toEqual(pages);
    expect(new Set(drive.answers())).toEqual(new Set([robots, ...answers(304)]));
    expect((await drive.list()).map(pathOf).toSorted()).toEqual(pages);
  });

  it('keeps the content of a page and leaves out navigation', async () => {
    const { documents } = await crawl().poll();
    const texts = documents.map(({ sections }) => sections.map(({ text }) => text).join('\n'));
    for (const text of texts) expect(text).not.toMatch(/Quick search|Created using|Show Source/);
    const chapter = documents.find(({ id }) => pathOf(id) === '/scope.html');
    const text = chapter?.sections.map((section) => section.text).join('\n') ?? '';
    expect(text).toMatch(/^# 1\. Scope of This Document\n/);
    expect(text).toContain('_not an expression of formal policy_');
    expect(text.length).toBeLessThan(2_000);
  });

  it('stops at max_pages and says so', async () => {
    const { documents, skipped } = await crawl({ max_pages: 3 }).poll();
    expect(documents.length).toBeLessThanOrEqual(3);
    expect(skipped).toContainEqual({
      documentId: null,
      reason: 'further pages: max_pages is reached',
    });
  });
});
