import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { overPglite } from '#src/platform/database.ts';
import { StartError } from '#src/platform/errors.ts';
import { createLog } from '#src/platform/log.ts';
import { assertSchemaIsCurrent, migrate } from '#src/platform/migrations.ts';
import { openPglite } from '#src/platform/pglite.ts';

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
