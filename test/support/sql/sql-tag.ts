import type { Node } from 'oxc-parser';
import { type Call, lookUp, type Template, textOf } from './source-files.ts';
import { NEVER, PARAMETER, type Path, Unassembled, UNKNOWN, type Value } from './values.ts';

/** Kysely's `sql`. */
export function isSqlTag(node: Node): boolean {
  if (node.type !== 'Identifier' || node.name !== 'sql') return false;
  const binding = lookUp('sql', node);
  return binding?.kind === 'import' && binding.from === 'kysely';
}

/** The text of a template: fragments are inserted, values become parameters. */
export function joined(node: Template, holes: Value[], path: Path): Value {
  if (holes.some(({ kind }) => kind === 'never')) return NEVER;
  path.used.add(node);
  let text = '';
  for (const [index, quasi] of node.quasi.quasis.entries()) {
    const hole = holes[index];
    text += (quasi.value.cooked ?? '') + (hole ? partOf(hole) : '');
  }
  return { kind: 'sql', text, rowType: node.typeArguments?.params[0] ?? null };
}

/** `sql.ref(…)`, `sql.raw(…)` and so on, with their arguments. */
export function callOfSql(name: string, node: Call, given: Value[]): Value {
  const rowType = node.typeArguments?.params[0] ?? null;
  const text = textOfCall(name, node, given);
  return text === null ? UNKNOWN : { kind: 'sql', text, rowType };
}

function textOfCall(name: string, node: Call, given: Value[]): string | null {
  switch (name) {
    case 'ref':
    case 'table':
      return quoted(textOfArgument(node, given[0]).split('.'));
    case 'id':
      return quoted(given.map((one) => textOfArgument(node, one)));
    case 'raw':
      return textOfArgument(node, given[0]);
    case 'lit':
      return literalText(given[0]);
    case 'join':
      return joinedList(given[0], given[1]);
    case 'val':
    case 'value':
      return PARAMETER;
    default:
      return null;
  }
}

function partOf(value: Value): string {
  return value.kind === 'sql' ? value.text : PARAMETER;
}

function textOfArgument(node: Node, value: Value | undefined): string {
  if (value?.kind === 'literal' && typeof value.value === 'string') return value.value;
  throw new Unassembled(`what ${textOf(node)} names is not known`);
}

function quoted(names: string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
}

/** An unknown number, such as a length, may be any number. */
function literalText(value: Value | undefined): string {
  if (value?.kind !== 'literal') return '1';
  return typeof value.value === 'string'
    ? `'${value.value.replaceAll("'", "''")}'`
    : String(value.value);
}

function joinedList(list: Value | undefined, separator: Value | undefined): string {
  if (list?.kind !== 'array') return PARAMETER;
  const parts = list.items.filter((one) => one.kind === 'sql' || one.kind !== 'literal');
  return parts.map((one) => partOf(one)).join(separator?.kind === 'sql' ? separator.text : ', ');
}
