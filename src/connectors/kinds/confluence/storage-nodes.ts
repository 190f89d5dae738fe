import type { CheerioAPI } from 'cheerio';

export type StorageNodes = ReturnType<CheerioAPI>;

type Root = ReturnType<CheerioAPI['root']>[number];
type StorageNode = Root | Root['children'][number];

/** All elements in document order. A single walk, because a selector is slow where an element has many siblings. */
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

/** A selector for a tag name such as `ac:link`. */
export function selectorOf(name: string): string {
  return name.replace(':', '\\:');
}

/** A text node as HTML. */
export function spanOf(page: CheerioAPI, text: string): StorageNodes {
  return page('<span>').text(text);
}

/** The name of what a link or picture points to. People are known only by keys, which mean nothing to readers. */
export function resourceName(holder: StorageNodes): string {
  const resource = holder.children();
  const names = ['ri:content-title', 'ri:filename', 'ri:value', 'ri:space-key'];
  return names.map((name) => resource.attr(name) ?? '').find((name) => name !== '') ?? '';
}
