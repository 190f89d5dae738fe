import { PGlite } from '@electric-sql/pglite';
import { expect, it } from 'vitest';
import { overPglite } from '#src/platform/database.ts';
import { StartError } from '#src/platform/errors.ts';
import { createLog } from '#src/platform/log.ts';
import { assertSchemaIsCurrent, migrate } from '#src/platform/migrations.ts';

it('refuses a Postgres without pgvector and says how to get it', async () => {
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
