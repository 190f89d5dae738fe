import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { load } from 'cheerio';
import type { Generator } from './documentation-generators.ts';
import { type FakeSource, startFakeSource } from '#test/support/fake-source.ts';

/** Serves a folder of HTML pages on loopback; `anonymous` removes everything that names the purpose of an element. */
export function serveDocumentation(
  { folder, without }: Pick<Generator, 'folder' | 'without'>,
  options: { anonymous: boolean },
): Promise<FakeSource> {
  return startFakeSource(async ({ url }) => {
    const path = decodeURIComponent(url.pathname).replace(/\/$/, '/index.html');
    const file = join(folder, normalize(path));
    const bytes = await readFile(file).catch(() => null);
    if (bytes === null || path === `/${without}`) return { status: 404, body: 'Not found' };
    if (!/^\.x?html?$/.test(extname(file))) {
      return { body: bytes, headers: { 'content-type': 'application/octet-stream' } };
    }
    return {
      body: options.anonymous ? withoutNames(bytes.toString('utf8')) : bytes,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    };
  });
}

const SPEAKING = 'nav, header, footer, main, aside, article, section, center, address, menu';
const NAMES = /^(?:class|id|role|rel|rev|summary|title|accesskey|hidden|name|aria-.*|data-.*)$/;

/**
 * Removes classes, ids, roles and relations, and turns every semantic element into a `div`: only structure and text
 * remain.
 */
function withoutNames(html: string): string {
  const $ = load(html);
  $('head link').remove();
  $(SPEAKING).each((_, element) => {
    element.tagName = 'div';
  });
  $('body, body *').each((_, element) => {
    if (!('attribs' in element)) return;
    for (const name of Object.keys(element.attribs)) {
      if (NAMES.test(name)) delete element.attribs[name];
    }
  });
  return $.html();
}
