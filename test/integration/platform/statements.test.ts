// @module-tag database
import pg from 'pg';
import { expect, it } from 'vitest';
import { UTILITY, inTransaction } from '#test/support/sql/describe-statement.ts';
import { NOT_PREPARED } from '#test/support/sql/not-prepared.ts';
import { findStatements } from '#test/support/sql/statements.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';

const { TEST_DATABASE_URL: serverUrl } = process.env;

// The embedded database is newer than the oldest supported version of Postgres.
it.skipIf(serverUrl === undefined)(
  'every raw statement can be prepared on the server (needs TEST_DATABASE_URL)',
  async () => {
    await using environment = await openTestEnvironment();
    await migrateTestDatabase(environment.settings);
    const client = new pg.Client({ connectionString: environment.settings['DATABASE_URL'] });
    await client.connect();
    try {
      const { statements } = findStatements('src', 'workers');
      expect(statements.length).toBeGreaterThan(500);
      const refused: string[] = [];
      for (const { place, source, text } of statements) {
        const problem = await prepare(client, text);
        if (problem !== null && !NOT_PREPARED.has(source)) refused.push(`${place}: ${problem}`);
      }
      expect(refused).toEqual([]);
    } finally {
      await client.end();
    }
  },
);

/** @returns the server's error for a statement, which is not executed; null if there is none */
async function prepare(client: pg.Client, text: string): Promise<string | null> {
  await client.query('begin');
  try {
    await client.query(UTILITY.test(text) ? inTransaction(text) : `prepare candidate as ${text}`);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
  }
}
