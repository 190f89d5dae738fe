import type { Node } from 'oxc-parser';
import { isFunction } from './source-files.ts';
import { isSqlTag } from './sql-tag.ts';

const STARTS = new Set(['selectFrom', 'updateTable', 'insertInto', 'deleteFrom']);
const JOINS = new Set([
  'innerJoin',
  'leftJoin',
  'from',
  'using',
  'innerJoinLateral',
  'leftJoinLateral',
]);

export interface BuilderFragment {
  node: Node;
  /** Embeds the fragment in a statement over the same tables. */
  inContext: (text: string) => string;
}

/** Expressions that may be fragments in statements of the query builder. */
export function fragmentsOfBuilder(nodes: readonly Node[]): BuilderFragment[] {
  return nodes.flatMap((node) => {
    const isFragment =
      (node.type === 'TaggedTemplateExpression' && isSqlTag(node.tag)) ||
      (node.type === 'Identifier' &&
        node.parent?.type === 'CallExpression' &&
        node.parent.callee !== node) ||
      (node.type === 'CallExpression' && node.callee.type === 'Identifier');
    const inContext = isFragment ? contextOf(node) : null;
    return inContext ? [{ node, inContext }] : [];
  });
}

function contextOf(node: Node): ((text: string) => string) | null {
  const tables: string[] = [];
  let method: string | null = null;
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (parent.type === 'TemplateLiteral') return null;
    // In a function with statements, only the returned expression could be a fragment.
    if (method === null && isFunction(parent) && parent.body?.type === 'BlockStatement')
      return null;
    if (parent.type !== 'CallExpression' || parent.callee === at) continue;
    const named = tablesOf(parent);
    if (named.length > 0) method ??= methodOf(parent);
    tables.push(...named);
  }
  return method === null ? null : (text) => over(tables, method, text);
}

/** The tables of the call chain that this call belongs to. */
function tablesOf(call: Node): string[] {
  let top = call;
  while (
    top.parent?.type === 'MemberExpression' &&
    top.parent.object === top &&
    top.parent.parent?.type === 'CallExpression'
  ) {
    top = top.parent.parent;
  }
  const tables: string[] = [];
  for (
    let at: Node = top;
    at.type === 'CallExpression' && at.callee.type === 'MemberExpression';
    at = at.callee.object
  ) {
    const name = methodOf(at) ?? '';
    const [first] = at.arguments;
    if ((STARTS.has(name) || JOINS.has(name)) && first?.type === 'Literal')
      tables.push(String(first.value));
  }
  return tables;
}

function methodOf(call: Node): string | null {
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return null;
  return call.callee.property.type === 'Identifier' ? call.callee.property.name : null;
}

function over(tables: readonly string[], method: string, text: string): string {
  const names = [...new Set(tables)];
  const isUpsert = text.includes('excluded.');
  const from = [...names, ...(isUpsert ? [`${names[0]} as excluded`] : [])].join(', ');
  if (method === 'modifyEnd') return `select 1 from ${from} ${text}`;
  if (method === 'orderBy') return `select 1 from ${from} order by ${text}`;
  return `select (${text}) from ${from}`;
}
