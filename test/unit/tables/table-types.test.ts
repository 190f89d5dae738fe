import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  compareTables,
  readSchema,
  readTableTypes,
  type SchemaColumn,
} from '#test/support/sql/table-types.ts';
import { openTestPglite } from '#test/unit/api/harness.ts';

/** Tables of Kysely, and one that only database functions use. */
const WITHOUT_TYPE = ['kysely_migration', 'kysely_migration_lock', 'request_log'];

let pglite: PGlite;
const types = readTableTypes('src/tables/tables.ts', 'Tables');

beforeAll(async () => {
  pglite = await openTestPglite();
});
afterAll(() => pglite.close());

it('the table types match the migrated schema', async () => {
  expect(compareTables(types, await readSchema(pglite, 'public', WITHOUT_TYPE))).toEqual([]);
});

it.each<[string, Partial<SchemaColumn> | null, string]>([
  ['is missing', null, 'is no column of the migrated schema.'],
  ['is nullable', { is_nullable: true }, 'is nullable; add "| null" to its type.'],
  ['has a default', { has_default: true }, 'has a default; use Generated.'],
  ['is of another type', { type: 'int4' }, 'is int4, which is read as number, not string.'],
  ['is a list', { type: '_text' }, 'is _text; a list is one of both.'],
  ['holds JSON', { type: 'jsonb' }, 'is jsonb, which its type does not say.'],
  ['allows other values', { allowed: ['a'] }, 'allows a, and its type every text.'],
])('a column that %s in the schema is reported', async (_, change, problem) => {
  const columns = await columnsOfWorkspace();
  const column = columns.get('name');
  if (!column) throw new Error('workspace.name no longer exists; use another column.');
  if (change) columns.set('name', { ...column, ...change });
  else columns.delete('name');
  expect(compareTables(typeOfWorkspace(), new Map([['workspace', columns]]))).toEqual([
    `workspace.name: ${problem}`,
  ]);
});

it('a table without a type and a type without a table are reported', async () => {
  const schema = new Map([['workroom', await columnsOfWorkspace()]]);
  expect(compareTables(typeOfWorkspace(), schema)).toEqual([
    'workspace: is no table of the migrated schema.',
    'workroom: has no type; add it to src/tables.',
  ]);
});

function typeOfWorkspace(): typeof types {
  return new Map([...types].filter(([table]) => table === 'workspace'));
}

async function columnsOfWorkspace(): Promise<Map<string, SchemaColumn>> {
  const schema = await readSchema(pglite, 'public', WITHOUT_TYPE);
  return schema.get('workspace') ?? new Map<string, SchemaColumn>();
}
