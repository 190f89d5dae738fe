import { childrenOf, type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { ContactCard } from './contact-card.ts';
import { absolute, baseOf, openValueReader, type ValueReader, valueOf } from './element-value.ts';
import type { PageSource } from './page-source.ts';
import {
  addValue,
  MAX_SCHEMA_NODES,
  propertyOf,
  type SchemaGraph,
  type SchemaNode,
  schemaNode,
  termOf,
} from './schema-graph.ts';
import { cardsOfGraph } from './schema-org.ts';

/** Limit for elements visited again because items refer to them. */
const MAX_REFERRED_ELEMENTS = 200_000;
const MAX_TOKENS = 20;

interface Reading {
  graph: SchemaGraph;
  items: Map<HtmlElement, SchemaNode>;
  /** Items with the ids of further elements that belong to them. */
  references: { item: SchemaNode; ids: string[] }[];
  elementsById: Map<string, HtmlElement>;
  reader: ValueReader;
}

/** People and organisations in the Microdata of a page (HTML, section 5). */
export function readMicrodata(source: PageSource): ContactCard[] {
  if (!/itemscope|itemtype/i.test(source.html)) return [];
  const reading: Reading = {
    graph: { nodes: [], roots: [] },
    items: new Map(),
    references: [],
    elementsById: new Map(),
    reader: openValueReader(baseOf(source)),
  };
  walk(source.page.root, null, reading, Number.POSITIVE_INFINITY);
  let left = MAX_REFERRED_ELEMENTS;
  for (const { item, ids } of reading.references) {
    for (const id of ids) {
      const element = reading.elementsById.get(id);
      if (element) left -= walk(element, item, reading, left);
    }
  }
  const { graph } = reading;
  return graph.nodes.length === 0 ? [] : cardsOfGraph(graph, 'microdata', source);
}

/**
 * @returns how many elements were visited
 */
function walk(top: HtmlNode, owner: SchemaNode | null, reading: Reading, limit: number): number {
  const open: { node: HtmlNode; owner: SchemaNode | null }[] = [{ node: top, owner }];
  let seen = 0;
  for (let step = open.pop(); step && seen < limit; step = open.pop()) {
    const { node } = step;
    let inner = step.owner;
    if (isElement(node)) {
      seen += 1;
      const known = reading.items.get(node);
      const item = known ?? itemOf(node, step.owner, reading);
      noteProperty(node, item, step.owner, reading);
      // An item's content is read once, however many refer to it.
      if (known) continue;
      inner = item ?? inner;
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && child.type !== 'text') open.push({ node: child, owner: inner });
    }
  }
  return seen;
}

function itemOf(
  element: HtmlElement,
  owner: SchemaNode | null,
  { graph, items, references, elementsById, reader }: Reading,
): SchemaNode | null {
  const { attribs } = element;
  const anchor = attribs['id'];
  if (anchor !== undefined && !elementsById.has(anchor)) elementsById.set(anchor, element);
  // Authors who forget `itemscope` write only `itemtype`.
  if (attribs['itemscope'] === undefined && attribs['itemtype'] === undefined) return null;
  if (graph.nodes.length >= MAX_SCHEMA_NODES) return null;
  const itemId = absolute(attribs['itemid'] ?? '', reader.base);
  const item = schemaNode({
    id: itemId === '' ? null : itemId,
    types: tokens(attribs['itemtype']).map((type) => termOf(type)),
  });
  graph.nodes.push(item);
  items.set(element, item);
  if (owner === null || attribs['itemprop'] === undefined) graph.roots.push(item);
  const ids = tokens(attribs['itemref']);
  if (ids.length > 0) references.push({ item, ids });
  return item;
}

function noteProperty(
  element: HtmlElement,
  item: SchemaNode | null,
  owner: SchemaNode | null,
  { reader }: Reading,
): void {
  if (!owner) return;
  for (const name of tokens(element.attribs['itemprop'])) {
    const property = propertyOf(name);
    const value = item ?? valueOf(element, property, reader);
    if (value !== '') addValue(owner, property, value);
  }
}

function tokens(list: string | undefined): string[] {
  const words = (list ?? '').slice(0, 2_000).split(/\s+/);
  return words.filter((word) => word !== '').slice(0, MAX_TOKENS);
}
