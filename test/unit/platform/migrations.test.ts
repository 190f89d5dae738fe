import { readdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readTermCounts } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { overPglite } from '#src/platform/database.ts';
import { StartError } from '#src/platform/errors.ts';
import { createLog } from '#src/platform/log.ts';
import { assertSchemaIsCurrent, migrate } from '#src/platform/migrations.ts';
import { openPglite } from '#src/platform/pglite.ts';
import { migrateTo } from '#test/support/migrate-to.ts';

it('no new migration has a number below the released ones: a database that has these would refuse it', () => {
  const folder = new URL('../../../migrations/', import.meta.url);
  const numbers = readdirSync(folder).map((name) => Number(name.slice(0, 4)));
  const released = [...Array.from({ length: 19 }, (_, index) => index + 1), 21, 22, 26, 27];
  expect(numbers.toSorted((a, b) => a - b).slice(0, released.length)).toEqual(released);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('migrations refuse a Postgres without pgvector and say how to get it', async () => {
  const database = overPglite(await PGlite.create());
  try {
    const log = createLog('silent');
    await expect(migrate(database.db, log)).rejects.toThrow(
      /no pgvector.*pgvector\/pgvector image/,
    );
    await expect(assertSchemaIsCurrent(database.db, log)).rejects.toThrow(StartError);
  } finally {
    await database.close();
  }
});

it('a failed migration is named with the error of Postgres', async () => {
  const database = overPglite(await openPglite(null));
  try {
    await sql`create table document (id int)`.execute(database.db);
    await expect(migrate(database.db, createLog('silent'))).rejects.toThrow(
      /^The migration 0001-engine failed: relation "document" already exists \(42P07\)\. The schema is as it was before\.$/,
    );
  } finally {
    await database.close();
  }
});

it('puts the counts of terms into buckets and loses none', async () => {
  const database = overPglite(await openPglite(null));
  try {
    await migrateTo(database.db, '0016-hidden-chunks');
    const workspaceId = 'a0000000-0000-4000-8000-000000000000' as WorkspaceId;
    await sql`insert into term_count values (${workspaceId}, -1, 3), (${workspaceId}, 7, 2), (${workspaceId}, 263, 1),
      (${workspaceId}, 300, 1)`.execute(database.db);
    await sql`insert into term_delta values (${workspaceId}, -1, 2), (${workspaceId}, 7, 1), (${workspaceId}, 7, 1),
      (${workspaceId}, 300, -1)`.execute(database.db);
    await migrate(database.db, createLog('silent'));
    expect(await readTermCounts(database.db, workspaceId, [7, 263, 300])).toEqual({
      chunks: 5,
      df: new Map([
        [7, 4],
        [263, 1],
      ]),
    });
  } finally {
    await database.close();
  }
});
