/** What a page states about one thing, in any syntax. */
export interface SchemaNode {
  /** Absolute if possible; null when it has none. */
  id: string | null;
  /** Without vocabulary, in lower case: `localbusiness`. */
  types: string[];
  /** By `termOf`; a string that is a node's id stands for that node. */
  properties: Map<string, SchemaValue[]>;
}
export type SchemaValue = string | SchemaNode;

/** The nodes of a page, and those not contained in another node. */
export interface SchemaGraph {
  nodes: SchemaNode[];
  roots: SchemaNode[];
}

/** Further nodes are not read: machine-made data must not block a thread. */
export const MAX_SCHEMA_NODES = 20_000;
const MAX_VALUES_OF_PROPERTY = 5_000;
const MAX_SAME_IDS = 20;

/** One name for the equivalents in FOAF, vCard, Data Vocabulary and hCard, and for common mistakes. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['fn', 'name'],
  ['firstname', 'givenname'],
  ['given-name', 'givenname'],
  ['first_name', 'givenname'],
  ['lastname', 'familyname'],
  ['surname', 'familyname'],
  ['family-name', 'familyname'],
  ['family_name', 'familyname'],
  ['last_name', 'familyname'],
  ['mbox', 'email'],
  ['hasemail', 'email'],
  ['e-mail', 'email'],
  ['phone', 'telephone'],
  ['tel', 'telephone'],
  ['hastelephone', 'telephone'],
  ['phonenumber', 'telephone'],
  ['homepage', 'url'],
  ['workplacehomepage', 'url'],
  ['hasurl', 'url'],
  ['website', 'url'],
  ['title', 'jobtitle'],
  ['role', 'jobtitle'],
  ['job-title', 'jobtitle'],
  ['org', 'worksfor'],
  ['affiliation', 'worksfor'],
  ['organization-name', 'legalname'],
  ['adr', 'address'],
  ['hasaddress', 'address'],
  ['street-address', 'streetaddress'],
  ['locality', 'addresslocality'],
  ['region', 'addressregion'],
  ['postal-code', 'postalcode'],
  ['country-name', 'addresscountry'],
  ['hasvalue', 'value'],
  ['contactpoints', 'contactpoint'],
  ['employees', 'employee'],
  ['members', 'member'],
  ['founders', 'founder'],
  ['note', 'description'],
  ['reviews', 'review'],
  ['comments', 'comment'],
]);

/**
 * The last part of a name, without vocabulary or prefix: `http://schema.org/Person` and `schema:Person` are the same.
 */
export function termOf(name: string): string {
  const bare = name.trim();
  const from = Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('#'), bare.lastIndexOf(':')) + 1;
  return bare.slice(from, from + 100).toLowerCase();
}

/** The name under which a property is stored. */
export function propertyOf(name: string): string {
  const term = termOf(name);
  return ALIASES.get(term) ?? term;
}

export function schemaNode(given: Partial<SchemaNode> = {}): SchemaNode {
  return { id: null, types: [], properties: new Map(), ...given };
}

export function addValue(node: SchemaNode, property: string, value: SchemaValue): void {
  const values = node.properties.get(property);
  if (!values) node.properties.set(property, [value]);
  else if (values.length < MAX_VALUES_OF_PROPERTY) values.push(value);
}

/** The text values of a property. */
function textsOf(node: SchemaNode, property: string): string[] {
  return (node.properties.get(property) ?? []).filter((value) => typeof value === 'string');
}

/**
 * Merges by id what several places state about one thing. Two things of different name or kind that share an id,
 * which templates produce, stay separate.
 * @returns a function that returns the nodes which a value stands for
 */
export function joinNodes(graph: SchemaGraph): (value: SchemaValue) => SchemaNode[] {
  const byId = new Map<string, SchemaNode[]>();
  const joined = new Map<SchemaNode, SchemaNode>();
  for (const node of graph.nodes) {
    if (node.id === null) continue;
    const others = byId.get(node.id) ?? [];
    const same = others.find((other) => isSame(other, node));
    if (same) {
      absorb(same, node);
      joined.set(node, same);
    } else if (others.length < MAX_SAME_IDS) {
      byId.set(node.id, [...others, node]);
    }
  }
  graph.nodes = graph.nodes.filter((node) => !joined.has(node));
  graph.roots = [...new Set(graph.roots.map((node) => joined.get(node) ?? node))];
  return (value) => {
    if (typeof value === 'string') return byId.get(value) ?? [];
    return [joined.get(value) ?? value];
  };
}

function isSame(one: SchemaNode, other: SchemaNode): boolean {
  const names = [one, other].map((node) => textsOf(node, 'name')[0]?.trim() ?? '');
  if (names[0] !== '' && names[1] !== '' && names[0] !== names[1]) return false;
  if (one.types.length === 0 || other.types.length === 0) return true;
  return one.types.some((type) => other.types.includes(type));
}

function absorb(target: SchemaNode, source: SchemaNode): void {
  target.types = [...new Set([...target.types, ...source.types])].slice(0, 20);
  for (const [property, values] of source.properties) {
    for (const value of values) {
      const known = target.properties.get(property) ?? [];
      // Long lists are not searched for duplicates, because that would take too long.
      if (known.length > 50 || !known.includes(value)) addValue(target, property, value);
    }
  }
}
