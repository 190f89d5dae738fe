import type { CheerioAPI } from 'cheerio';

export type StorageNodes = ReturnType<CheerioAPI>;

/** A tag name such as `ac:link` as a selector. */
export function selectorOf(name: string): string {
  return name.replace(':', '\\:');
}

/** Text as HTML. */
export function spanOf(page: CheerioAPI, text: string): StorageNodes {
  return page('<span>').text(text);
}

/** What a link or picture leads to, in words. People are known by keys only, which say nothing. */
export function resourceName(holder: StorageNodes): string {
  const resource = holder.children();
  const names = ['ri:content-title', 'ri:filename', 'ri:value', 'ri:space-key'];
  return names.map((name) => resource.attr(name) ?? '').find((name) => name !== '') ?? '';
}
