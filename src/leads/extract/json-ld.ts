import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  rawText,
} from '#src/files/html-tree.ts';
import type { ContactCard } from './contact-card.ts';
import { decodeEntities } from './decode-entities.ts';
import type { PageSource } from './page-source.ts';
import { readBrokenJson } from './repair-json.ts';
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

/** For all blocks of a page together. */
const MAX_CHARACTERS = 6_000_000;
const MAX_VALUES = 300_000;
/** Deeper nesting is not read. */
const MAX_DEPTH = 200;
const MAX_TYPES = 20;
const MAX_DECODED_LENGTH = 5_000;

/** People and organisations in the `application/ld+json` blocks of a page, including broken ones. */
export function readJsonLd(source: PageSource): ContactCard[] {
  if (!/ld\+json/i.test(source.html)) return [];
  const graph: SchemaGraph = { nodes: [], roots: [] };
  let left = MAX_CHARACTERS;
  const budget = { values: MAX_VALUES };
  for (const block of blocksOf(source.page.root)) {
    const text = rawText(block).slice(0, left);
    left -= text.length;
    for (const value of readBrokenJson(text)) addToGraph(graph, value, source.url, budget);
  }
  return graph.nodes.length === 0 ? [] : cardsOfGraph(graph, 'json-ld', source);
}

function blocksOf(root: HtmlNode): HtmlElement[] {
  const blocks: HtmlElement[] = [];
  const open: HtmlNode[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (isElement(node) && node.name === 'script') {
      if (/^\s*application\/ld\+json/i.test(node.attribs['type'] ?? '')) blocks.push(node);
      continue;
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child) open.push(child);
    }
  }
  return blocks;
}

interface Step {
  value: unknown;
  /** The node that has this value; null at the top. */
  owner: SchemaNode | null;
  property: string;
  depth: number;
}

function addToGraph(
  graph: SchemaGraph,
  top: unknown,
  base: string,
  budget: { values: number },
): void {
  const open: Step[] = [{ value: top, owner: null, property: '', depth: 0 }];
  for (let step = open.pop(); step; step = open.pop()) {
    if (budget.values <= 0 || step.depth > MAX_DEPTH) continue;
    budget.values -= 1;
    const { value, owner, property, depth } = step;
    const inner: Step[] = [];
    if (Array.isArray(value)) {
      for (const item of value) inner.push({ value: item, owner, property, depth: depth + 1 });
    } else if (isObject(value)) {
      readObject(graph, value, step, base, inner);
    } else if (owner && (typeof value === 'string' || typeof value === 'number')) {
      addText(owner, property, String(value));
    }
    for (let last = inner.pop(); last; last = inner.pop()) open.push(last);
  }
}

function readObject(
  graph: SchemaGraph,
  object: Record<string, unknown>,
  { owner, property, depth }: Step,
  base: string,
  inner: Step[],
): void {
  for (const key of ['@value', '@list', '@set']) {
    const held = object[key];
    if (held === undefined) continue;
    inner.push({ value: held, owner, property, depth: depth + 1 });
    return;
  }
  const id = idOf(object, base);
  const keys = Object.keys(object).filter((key) => !key.startsWith('@'));
  const types = typesOf(object);
  const graphs = [object['@graph'], object['@included']].filter((held) => held !== undefined);
  for (const held of graphs) {
    inner.push({ value: held, owner: null, property: '', depth: depth + 1 });
  }
  if (owner && id !== null && keys.every((key) => key === 'id' || key === 'type')) {
    // A reference: it stands for the node with that id.
    addValue(owner, property, id);
    return;
  }
  if (graph.nodes.length >= MAX_SCHEMA_NODES) return;
  const node = schemaNode({ id, types });
  graph.nodes.push(node);
  if (owner) addValue(owner, property, node);
  else graph.roots.push(node);
  for (const key of keys) {
    inner.push({ value: object[key], owner: node, property: propertyOf(key), depth: depth + 1 });
  }
}

function addText(owner: SchemaNode, property: string, text: string): void {
  const isDecoded = text.length > MAX_DECODED_LENGTH || !text.includes('&');
  addValue(owner, property, isDecoded ? text : decodeEntities(text));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** schema.org's own context lets `type` and `id` replace `@type` and `@id`. */
function typesOf(object: Record<string, unknown>): string[] {
  const written = object['@type'] ?? object['type'];
  const types: unknown[] = Array.isArray(written) ? written.slice(0, MAX_TYPES) : [written];
  return types.filter((type) => typeof type === 'string').map((type) => termOf(type));
}

function idOf(object: Record<string, unknown>, base: string): string | null {
  const written = object['@id'] ?? object['id'];
  if (typeof written !== 'string' || written.trim() === '' || written.length > 2_000) return null;
  const id = written.trim();
  return id.startsWith('_:') ? id : (URL.parse(id, base)?.href ?? id);
}
