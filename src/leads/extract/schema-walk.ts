import { joinNodes, type SchemaGraph, type SchemaNode, type SchemaValue } from './schema-graph.ts';
import { kindOfTypes, leadsAway } from './schema-types.ts';

/** An employer or a part of an organisation: mentioned in passing, described elsewhere. */
const IN_PASSING = new Set(['worksfor', 'memberof', 'parentorganization', 'suborganization']);
const STAFF = ['employee', 'founder', 'member'] as const;
/** Properties that lead to listed things. */
const LISTS = ['itemlistelement', 'item', 'containsplace'];
const PARTS = ['contactpoint', 'address', 'location'];
/** Most nodes that one person or place may be listed under. */
const MAX_TARGETS = 5_000;

/** The nodes that belong to the page, in page order, with what their neighbours state about them. */
export interface WalkedGraph {
  nodes: SchemaNode[];
  /** The nodes that a property leads to, passing through a role in between. */
  targets: (node: SchemaNode, property: string) => Target[];
  resolve: (value: SchemaValue) => SchemaNode[];
  kindOf: (node: SchemaNode) => 'person' | 'organization' | null;
  /** The organisations that list a person as staff. */
  employerOf: ReadonlyMap<SchemaNode, { organization: SchemaNode; roles: SchemaValue[] }>;
  isInPassing: (node: SchemaNode) => boolean;
  /** Whether a node is an item of a list, or a shop inside a place. */
  isListed: (node: SchemaNode) => boolean;
  /** Contact points, addresses and places: their data belongs to their owner. */
  isPart: (node: SchemaNode) => boolean;
}

interface Target {
  node: SchemaNode;
  /** The names of the role in between. */
  roles: SchemaValue[];
}

/** @param url of the page */
export function walkGraph(graph: SchemaGraph, url: string): WalkedGraph {
  const resolve = joinNodes(graph);
  const targets = (node: SchemaNode, property: string): Target[] =>
    targetsOf(node, property, resolve);
  const main = reach(graph, resolve, url);
  const employerOf: Map<SchemaNode, { organization: SchemaNode; roles: SchemaValue[] }> = new Map();
  const impliedPeople = new Set<SchemaNode>();
  const parts = new Set<SchemaNode>();
  const listed = new Set<SchemaNode>();
  for (const organization of main.nodes) {
    for (const property of PARTS) {
      for (const { node } of targets(organization, property)) parts.add(node);
    }
    for (const property of LISTS) {
      for (const { node } of targets(organization, property)) listed.add(node);
    }
    for (const property of STAFF) {
      for (const { node, roles } of targets(organization, property)) {
        if (!employerOf.has(node)) employerOf.set(node, { organization, roles });
        if (node.types.length === 0) impliedPeople.add(node);
      }
    }
  }
  return {
    nodes: main.nodes,
    targets,
    resolve,
    kindOf: (node) =>
      impliedPeople.has(node) ? 'person' : kindOfTypes(node.types, node.properties),
    employerOf,
    isInPassing: (node) => !main.firmly.has(node),
    isListed: (node) => listed.has(node),
    isPart: (node) => parts.has(node),
  };
}

/** Walks from the roots along everything that does not lead to strangers; nodes mentioned in passing come last. */
function reach(
  graph: SchemaGraph,
  resolve: WalkedGraph['resolve'],
  url: string,
): { nodes: SchemaNode[]; firmly: Set<SchemaNode> } {
  const strangers = new Set<SchemaNode>();
  for (const node of graph.nodes) {
    for (const [property, values] of node.properties) {
      if (!leadsAway(node.types, property)) continue;
      for (const value of values) for (const target of resolve(value)) strangers.add(target);
    }
  }
  const reached = new Set<SchemaNode>();
  const follow = (start: readonly SchemaNode[], alsoInPassing: boolean): void => {
    const open = start.toReversed();
    for (let node = open.pop(); node; node = open.pop()) {
      if (reached.has(node)) continue;
      reached.add(node);
      open.push(...neighbours(node, resolve, alsoInPassing).toReversed());
    }
  };
  follow(
    graph.roots.filter((root) => !strangers.has(root) || isOfStartPage(root, url)),
    false,
  );
  const firmly = new Set(reached);
  follow(
    [...firmly].flatMap((node) => neighbours(node, resolve, true)),
    true,
  );
  return { nodes: [...reached], firmly };
}

/** A node that is named by the site's start page is the site's, also when reviews and the like refer to it. */
function isOfStartPage({ id }: SchemaNode, url: string): boolean {
  const [named, page] = [URL.parse(id ?? ''), URL.parse(url)];
  return named !== null && named.pathname === '/' && named.hostname === page?.hostname;
}

function neighbours(
  node: SchemaNode,
  resolve: WalkedGraph['resolve'],
  alsoInPassing: boolean,
): SchemaNode[] {
  const found: SchemaNode[] = [];
  for (const [property, values] of node.properties) {
    if (leadsAway(node.types, property)) continue;
    if (!alsoInPassing && IN_PASSING.has(property)) continue;
    for (const value of values) {
      if (found.length < MAX_TARGETS) found.push(...resolve(value));
    }
  }
  return found;
}

function targetsOf(node: SchemaNode, property: string, resolve: WalkedGraph['resolve']): Target[] {
  const found: Target[] = [];
  for (const value of node.properties.get(property) ?? []) {
    for (const target of resolve(value)) {
      if (!target.types.some((type) => type.endsWith('role'))) {
        found.push({ node: target, roles: [] });
        continue;
      }
      const roles = target.properties.get('rolename') ?? [];
      for (const inner of target.properties.get(property) ?? []) {
        for (const behind of resolve(inner)) found.push({ node: behind, roles });
      }
    }
    if (found.length >= MAX_TARGETS) break;
  }
  return found;
}
