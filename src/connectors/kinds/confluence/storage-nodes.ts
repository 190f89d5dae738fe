import type { CheerioAPI } from 'cheerio';

export type StorageNodes = ReturnType<CheerioAPI>;

type Root = ReturnType<CheerioAPI['root']>[number];
type StorageNode = Root | Root['children'][number];

/** All elements in the order of the document. One walk: a selector takes long where many elements are siblings. */
export function elementsByName(page: CheerioAPI): Map<string, StorageNode[]> {
  const found = new Map<string, StorageNode[]>();
  const open: StorageNode[] = page.root().toArray();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'tag') {
      const same = found.get(node.name);
      if (same) same.push(node);
      else found.set(node.name, [node]);
    }
    if (!('children' in node)) continue;
    for (const child of node.children.toReversed()) open.push(child);
  }
  return found;
}

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
