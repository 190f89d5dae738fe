import type { PGlite } from '@electric-sql/pglite';
import type { Node } from 'oxc-parser';
import { kindOf, type Kind } from './type-kinds.ts';
import type { Statement } from './statements.ts';
import { propertiesOf } from './types.ts';

/** The problems of one statement; empty when Postgres accepts it and its row matches the declared type. */
export interface Examined {
  problems: string[];
  isRowCompared: boolean;
}

interface Column {
  name: string;
  type: string;
}

/** Prepares a statement without running it. */
export async function examine(
  pglite: PGlite,
  types: ReadonlyMap<number, string>,
  { text, rowType }: Statement,
): Promise<Examined> {
  const columns = await describe(pglite, types, text);
  if (typeof columns === 'string') return { problems: [columns], isRowCompared: false };
  const properties = rowType && columns.length > 0 ? propertiesOf(rowType) : null;
  if (!properties) return { problems: [], isRowCompared: false };
  const problems = columns
    .filter(({ name }) => name !== 'set_config' && !properties.has(name))
    .map(({ name }) => `The statement returns "${name}", which the type of its row does not have.`);
  for (const [name, { type, isOptional }] of properties) {
    const column = columns.find((one) => one.name === name);
    if (column) problems.push(...misfit(column, type));
    else if (!isOptional) {
      problems.push(`The type of its row has "${name}", which the statement does not return.`);
    }
  }
  return { problems, isRowCompared: true };
}

/** Names of the database's types by OID. */
export async function readTypeNames(pglite: PGlite): Promise<Map<number, string>> {
  const { rows } = await pglite.query<{ oid: number; typname: string }>(
    'select oid, typname from pg_type',
  );
  return new Map(rows.map(({ oid, typname }) => [oid, typname]));
}

async function describe(
  pglite: PGlite,
  types: ReadonlyMap<number, string>,
  text: string,
): Promise<Column[] | string> {
  try {
    if (UTILITY.test(text)) return await runUndone(pglite, text);
    const { resultFields } = await pglite.describeQuery(text);
    return resultFields.map(({ name, dataTypeID }) => ({
      name,
      type: types.get(dataTypeID) ?? String(dataTypeID),
    }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Statements whose names Postgres does not resolve before they run. */
export const UTILITY = /^\s*(?:alter|analyze|create|drop|lock|reset|set|truncate|vacuum)\b/i;

/** Concurrent operations and VACUUM cannot run in a transaction; this has the same names and can. */
export function inTransaction(text: string): string {
  return text
    .replaceAll(/\bconcurrently\b/gi, '')
    .replace(/^\s*vacuum\b(?:\s*\([^)]*\))?/i, 'lock table');
}

async function runUndone(pglite: PGlite, text: string): Promise<Column[]> {
  await pglite.transaction(async (transaction) => {
    await transaction.exec(inTransaction(text));
    await transaction.rollback();
  });
  return [];
}

function misfit({ name, type }: Column, written: Node | null): string[] {
  const said = written ? kindOf(written) : null;
  const read = KINDS[type] ?? (type.startsWith('_') ? 'list' : null);
  if (said === null || read === null || said === read) return [];
  return [
    `"${name}" is written as ${said}, but the statement returns ${type}, which is read as ${read}.`,
  ];
}

/** The JavaScript type that both drivers return for a database type, as configured by Millrace. */
export const KINDS: Readonly<Record<string, Kind>> = {
  bool: 'boolean',
  bytea: 'bytes',
  bit: 'string',
  float4: 'number',
  float8: 'number',
  halfvec: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  name: 'string',
  numeric: 'string',
  sparsevec: 'string',
  tsvector: 'string',
  text: 'string',
  timestamp: 'Date',
  timestamptz: 'Date',
  uuid: 'string',
  varbit: 'string',
  varchar: 'string',
};
