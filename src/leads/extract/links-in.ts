import { childrenOf, type HtmlNode, isElement } from '#src/files/html-tree.ts';

/** Elements whose links are not those of the page. */
const CLOSED = new Set(['svg', 'template', 'script', 'style']);

/** The links in some nodes, in order. */
export function linksIn(nodes: readonly HtmlNode[]): { href: string; rel: string }[] {
  const links: { href: string; rel: string }[] = [];
  const open = nodes.toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) {
      if (CLOSED.has(node.name)) continue;
      const { href, rel } = node.attribs;
      if (href !== undefined && (node.name === 'a' || node.name === 'area')) {
        links.push({ href, rel: rel ?? '' });
      }
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child) open.push(child);
    }
  }
  return links;
}
