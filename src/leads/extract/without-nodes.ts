import { childrenOf, type HtmlNode, parseHtmlTree } from '#src/files/html-tree.ts';
import { linksIn } from './links-in.ts';
import type { PageSource } from './page-source.ts';

/**
 * A copy of the page without some of its nodes, for techniques that must not read them. The tree itself is changed, so
 * read the whole page before.
 */
export function withoutNodes(source: PageSource, nodes: readonly HtmlNode[]): PageSource {
  if (nodes.length === 0) return source;
  const out = new Set(nodes);
  const parents = new Set(nodes.map(({ parent }) => parent));
  for (const parent of parents) if (parent) removeChildren(parent, out);
  // A new root, because results are cached per root.
  const root = parseHtmlTree('');
  root.children = source.page.root.children;
  return { ...source, page: { ...source.page, root, links: linksIn([root]) } };
}

function removeChildren(parent: HtmlNode, out: ReadonlySet<HtmlNode>): void {
  if (!('children' in parent)) return;
  const kept = childrenOf(parent).filter((child) => !out.has(child));
  for (const [at, child] of kept.entries()) {
    child.prev = kept[at - 1] ?? null;
    child.next = kept[at + 1] ?? null;
  }
  parent.children = kept;
}
