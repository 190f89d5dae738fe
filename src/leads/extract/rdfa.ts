import { childrenOf, type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { ContactCard } from './contact-card.ts';
import { absolute, baseOf, openValueReader, type ValueReader, valueOf } from './element-value.ts';
import type { PageSource } from './page-source.ts';
import { declaredBy, INITIAL_PREFIXES, resolveTerms, type Vocabulary } from './rdfa-terms.ts';
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

/** The state at one point of the page. */
interface Place {
  vocabulary: Vocabulary;
  /** The current subject; null outside of any. */
  subject: SchemaNode | null;
  /** Properties of the subject whose value is the next node inside. */
  pending: string[];
}

interface Reading {
  graph: SchemaGraph;
  reader: ValueReader;
}

/** People and organisations in the RDFa of a page: RDFa Lite, with `rel`, `about` and legacy prefixes. */
export function readRdfa(source: PageSource): ContactCard[] {
  if (!/typeof/i.test(source.html)) return [];
  const reading: Reading = {
    graph: { nodes: [], roots: [] },
    reader: openValueReader(baseOf(source)),
  };
  const top: Place = {
    vocabulary: { vocab: null, prefixes: INITIAL_PREFIXES },
    subject: null,
    pending: [],
  };
  const open: { node: HtmlNode; place: Place }[] = [{ node: source.page.root, place: top }];
  for (let step = open.pop(); step; step = open.pop()) {
    const place = isElement(step.node) ? enter(step.node, step.place, reading) : step.place;
    const children = childrenOf(step.node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && child.type !== 'text') open.push({ node: child, place });
    }
  }
  const { graph } = reading;
  return graph.nodes.length === 0 ? [] : cardsOfGraph(graph, 'rdfa', source);
}

/** Records what an element states, and returns the state for its content. */
function enter(element: HtmlElement, outer: Place, reading: Reading): Place {
  const { attribs } = element;
  const vocabulary = declaredBy(attribs, outer.vocabulary);
  const isPlain =
    attribs['typeof'] === undefined &&
    attribs['property'] === undefined &&
    attribs['rel'] === undefined &&
    attribs['about'] === undefined &&
    attribs['resource'] === undefined;
  if (isPlain) return vocabulary === outer.vocabulary ? outer : { ...outer, vocabulary };
  const properties = resolveTerms(attribs['property'], vocabulary).map(propertyOf);
  const relations = resolveTerms(attribs['rel'], vocabulary).map(propertyOf);
  if (attribs['typeof'] !== undefined) {
    const thing = beginThing(element, vocabulary, reading);
    if (!thing) return { ...outer, vocabulary };
    const links = [...properties, ...relations, ...outer.pending];
    link(attribs['about'] === undefined ? links : outer.pending, thing, outer.subject, reading);
    if (attribs['about'] !== undefined) notePlain(element, properties, thing, reading);
    return { vocabulary, subject: thing, pending: [] };
  }
  const subject = subjectOf(element, outer, properties.length + relations.length, reading);
  notePlain(element, properties, subject, reading);
  const target = absolute(attribs['resource'] ?? attribs['href'] ?? '', reading.reader.base);
  if (subject && target !== '') {
    for (const relation of relations) addValue(subject, relation, target);
    return { vocabulary, subject, pending: [] };
  }
  const pending = relations.length > 0 ? relations : subject === outer.subject ? outer.pending : [];
  return { vocabulary, subject, pending };
}

function beginThing(
  { attribs }: HtmlElement,
  vocabulary: Vocabulary,
  { graph, reader }: Reading,
): SchemaNode | null {
  if (graph.nodes.length >= MAX_SCHEMA_NODES) return null;
  const id = absolute(attribs['about'] ?? attribs['resource'] ?? '', reader.base);
  const thing = schemaNode({
    id: id === '' ? null : id,
    types: resolveTerms(attribs['typeof'], vocabulary).map(termOf),
  });
  graph.nodes.push(thing);
  return thing;
}

function link(
  properties: readonly string[],
  thing: SchemaNode,
  subject: SchemaNode | null,
  { graph }: Reading,
): void {
  if (subject === null || properties.length === 0) graph.roots.push(thing);
  else for (const property of properties) addValue(subject, property, thing);
}

/** `about`, or a `resource` that is not a value, changes the subject. */
function subjectOf(
  { attribs }: HtmlElement,
  outer: Place,
  links: number,
  reading: Reading,
): SchemaNode | null {
  const written = attribs['about'] ?? (links === 0 ? attribs['resource'] : undefined);
  if (written === undefined) return outer.subject;
  const { graph, reader } = reading;
  const id = absolute(written, reader.base);
  if (id === '' || graph.nodes.length >= MAX_SCHEMA_NODES) return outer.subject;
  const thing = schemaNode({ id });
  graph.nodes.push(thing);
  link(outer.pending, thing, outer.subject, reading);
  return thing;
}

function notePlain(
  element: HtmlElement,
  properties: readonly string[],
  subject: SchemaNode | null,
  { reader }: Reading,
): void {
  if (!subject) return;
  const resource = element.attribs['resource'];
  for (const property of properties) {
    const value =
      resource === undefined ? valueOf(element, property, reader) : absolute(resource, reader.base);
    if (value !== '') addValue(subject, property, value);
  }
}
