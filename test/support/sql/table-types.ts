import type { PGlite } from '@electric-sql/pglite';
import type { Node } from 'oxc-parser';
import { KINDS } from './describe-statement.ts';
import { lookUp, parseFile } from './source-files.ts';
import { kindOf, mayBeNull, withoutNull } from './type-kinds.ts';
import { argumentsOf, literalsOf, nameOf, propertiesOf, resolve } from './types.ts';

/** A column as defined in the database. */
export interface SchemaColumn {
  name: string;
  type: string;
  is_nullable: boolean;
  /** It has a default. */
  has_default: boolean;
  /** It accepts only its generated value. */
  is_always: boolean;
  /** The only values that a check constraint allows; null for any. */
  allowed: string[] | null;
}

type Tables<T> = Map<string, Map<string, T>>;

/** The interface that lists all tables with their column types. */
export function readTableTypes(file: string, name: string): Tables<Node> {
  const binding = lookUp(name, parseFile(file).program);
  const tables = binding?.kind === 'type' ? propertiesOf(binding.declared) : null;
  if (!tables) throw new Error(`${file} has no interface ${name} of tables.`);
  return new Map(
    [...tables].map(([table, { type }]) => [
      table,
      new Map(
        [...((type && propertiesOf(type)) ?? [])].flatMap(([column, property]) =>
          property.type ? [[column, property.type] as const] : [],
        ),
      ),
    ]),
  );
}

/** The tables of a schema except those named. */
export async function readSchema(
  pglite: PGlite,
  schema: string,
  except: readonly string[],
): Promise<Tables<SchemaColumn>> {
  const { rows } = await pglite.query<SchemaColumn & { table: string; checks: string[] }>(
    `select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as is_nullable,
       a.atthasdef or a.attidentity <> '' as has_default,
       a.attidentity = 'a' or a.attgenerated <> '' as is_always,
       array(select pg_get_constraintdef(k.oid) from pg_constraint k
         where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks
     from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
     where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p') and a.attnum > 0
       and not a.attisdropped and c.relname <> all($2::text[])`,
    [schema, except],
  );
  const tables: Tables<SchemaColumn> = new Map();
  for (const { table, checks, ...column } of rows) {
    const columns = tables.get(table) ?? new Map<string, SchemaColumn>();
    columns.set(column.name, { ...column, allowed: allowedBy(checks) });
    tables.set(table, columns);
  }
  return tables;
}

/** `CHECK ((kind = ANY (ARRAY['a'::text, 'b'::text])))`. */
function allowedBy(checks: readonly string[]): string[] | null {
  const [list] = checks.flatMap(
    (check) => /^CHECK \(\(\w+ = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(check)?.[1] ?? [],
  );
  return list === undefined
    ? null
    : [...list.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value);
}

/** The differences between the types and the schema; empty when they agree. */
export function compareTables(types: Tables<Node>, schema: Tables<SchemaColumn>): string[] {
  const problems: string[] = [];
  for (const table of new Set([...types.keys(), ...schema.keys()])) {
    const [written, real] = [types.get(table), schema.get(table)];
    if (!written) problems.push(`${table}: has no type; add it to src/tables.`);
    else if (!real) problems.push(`${table}: is no table of the migrated schema.`);
    else problems.push(...compareColumns(table, written, real));
  }
  return problems;
}

function compareColumns(
  table: string,
  written: ReadonlyMap<string, Node>,
  real: ReadonlyMap<string, SchemaColumn>,
): string[] {
  return [...new Set([...written.keys(), ...real.keys()])].flatMap((name) => {
    const [type, column] = [written.get(name), real.get(name)];
    const place = `${table}.${name}`;
    if (!type) return [`${place}: is missing in the type of the table.`];
    if (!column) return [`${place}: is no column of the migrated schema.`];
    return compareColumn(column, columnType(type)).map((problem) => `${place}: ${problem}`);
  });
}

interface ColumnType {
  /** The type of the value as read; null when it is not declared. */
  read: Node | null;
  isNullable: boolean;
  mayBeLeftOut: boolean;
  isAlways: boolean;
  isJson: boolean;
}

function compareColumn(column: SchemaColumn, written: ColumnType): string[] {
  const problems: string[] = [];
  const { read, isNullable, mayBeLeftOut, isAlways, isJson } = written;
  const saysNothing = read === null || resolve(read).type === 'TSUnknownKeyword';
  if (isNullable !== column.is_nullable && !saysNothing) {
    problems.push(
      isNullable ? 'is not null in the schema.' : 'is nullable; add "| null" to its type.',
    );
  }
  if (!column.is_nullable && mayBeLeftOut !== column.has_default) {
    problems.push(
      mayBeLeftOut ? 'has no default: an insert must give it.' : 'has a default; use Generated.',
    );
  }
  if (isAlways !== column.is_always) {
    problems.push(
      isAlways ? 'takes other values than its own.' : 'takes no value; use GeneratedAlways.',
    );
  }
  const isStoredJson = column.type === 'json' || column.type === 'jsonb';
  if (isJson !== isStoredJson && !(isStoredJson && saysNothing)) {
    problems.push(`is ${column.type}, which its type does not say.`);
  }
  if (read && !isStoredJson) problems.push(...compareKinds(column, read, saysNothing));
  return problems;
}

function compareKinds(column: SchemaColumn, read: Node, saysNothing: boolean): string[] {
  if (column.type === 'date') {
    return saysNothing ? [] : ['is a date, which drivers read differently; use LocalDate.'];
  }
  const element = column.type.startsWith('_') ? elementOf(read) : null;
  if (column.type.startsWith('_') !== (element !== null))
    return [`is ${column.type}; a list is one of both.`];
  const expected = KINDS[column.type.replace(/^_/, '')] ?? null;
  const kind = kindOf(element ?? read);
  if (kind === null || expected === null)
    return [`${column.type} cannot be compared with its type.`];
  if (kind !== expected) return [`is ${column.type}, which is read as ${expected}, not ${kind}.`];
  return compareAllowed(column.allowed, literalsOf(nonNull(element ?? read)));
}

function compareAllowed(allowed: string[] | null, literals: string[] | null): string[] {
  if (allowed === null) return [];
  const [real, written] = [allowed.toSorted().join(', '), (literals ?? []).toSorted().join(', ')];
  return real === written ? [] : [`allows ${real}, and its type ${written || 'every text'}.`];
}

function elementOf(type: Node): Node | null {
  const resolved = nonNull(type);
  return resolved.type === 'TSArrayType' ? resolved.elementType : null;
}

function nonNull(type: Node): Node {
  const resolved = resolve(type);
  if (resolved.type !== 'TSUnionType') return resolved;
  const parts = withoutNull(resolved.types);
  return parts.length === 1 && parts[0] ? resolve(parts[0]) : resolved;
}

/** Unwraps Kysely's types and those of `column-types.ts` around the type as read. */
function columnType(type: Node): ColumnType {
  const plain = {
    read: type,
    isNullable: false,
    mayBeLeftOut: false,
    isAlways: false,
    isJson: false,
  };
  if (type.type === 'TSUnionType') {
    const [only, second] = withoutNull(type.types);
    if (second || !only) return { ...plain, isNullable: mayBeNull(type) };
    return { ...columnType(only), isNullable: mayBeNull(type) };
  }
  const [first, insert] = argumentsOf(type);
  switch (nameOf(type)) {
    case 'Generated':
      return first ? { ...columnType(first), mayBeLeftOut: true } : plain;
    case 'GeneratedAlways':
      return first ? { ...columnType(first), mayBeLeftOut: true, isAlways: true } : plain;
    case 'Json':
    case 'JsonWithDefault':
      return {
        ...plain,
        read: first ?? null,
        isJson: true,
        mayBeLeftOut: nameOf(type) === 'JsonWithDefault',
      };
    case 'ColumnType':
      return {
        ...plain,
        read: first ?? null,
        isNullable: first ? mayBeNull(first) : false,
        mayBeLeftOut:
          insert?.type === 'TSUnionType' &&
          insert.types.some((one) => one.type === 'TSUndefinedKeyword'),
        isJson: isJsonText(first, insert),
      };
    default: {
      const resolved = resolve(type);
      return resolved !== type && resolved.type === 'TSTypeReference'
        ? columnType(resolved)
        : plain;
    }
  }
}

/** Read as its content and written as text. */
function isJsonText(read: Node | undefined, insert: Node | undefined): boolean {
  if (!read || !insert || mayBeNull(read)) return false;
  const kind = kindOf(read);
  return kindOf(insert) === 'string' && (kind === null || kind === 'list');
}
