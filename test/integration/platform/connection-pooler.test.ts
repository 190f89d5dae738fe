// @module-tag processes
import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import { readVectorIndex } from '#src/documents/vector-index.ts';
import { openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import {
  openPgBouncer,
  openPostgresServer,
  postgresBinaries,
  type PostgresServer,
} from '#test/support/postgres-servers.ts';
import { startTestMillrace } from '#test/support/test-millrace.ts';

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const DATABASE = 'millrace';
const AT_ONCE = 40;

describe.runIf(postgresBinaries !== null && existsSync('/usr/sbin/pgbouncer'))(
  'PgBouncer in transaction mode (needs /usr/lib/postgresql) (needs /usr/sbin/pgbouncer)',
  () => {
    const opened = new AsyncDisposableStack();
    let server: PostgresServer;
    let pooler: { urlOf(database: string): string };

    beforeAll(async () => {
      server = await openPostgresServer(opened);
      await server.query(`create database ${DATABASE}`);
      pooler = await openPgBouncer(server, opened);
    });
    afterAll(() => opened.disposeAsync());

    it('serves many requests with few sessions, beside jobs and an index build', async () => {
      await using millrace = await startTestMillrace({
        DATABASE_URL: pooler.urlOf(DATABASE),
        DATABASE_DIRECT_URL: server.urlOf(DATABASE),
        DATABASE_POOL_SIZE: '20',
        VECTOR_PROMOTE_THRESHOLD: '0',
        ENCRYPTION_KEY,
      });
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) =>
          millrace.call('POST', '/service-api/ingestion', {
            document: {
              id: `d${n}`,
              semantic_identifier: `Report ${n}`,
              sections: [{ text: `Report ${n} is about the heron.` }],
            },
          }),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await millrace.settled();
      const searches = await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          millrace.call('POST', '/search', { query: 'heron', collapse: false }),
        ),
      );
      expect(searches.every(({ body }) => body.results.length === 10)).toBe(true);
      const { db } = millrace.services;
      await foldTermDeltas(db, 1_000);
      await promoteVectors(millrace.services, new AbortController().signal);
      expect(await readVectorIndex(db)).toMatchObject({
        segments: [{ from: 0 }],
        remains: [],
      });
      const { rows } = await sql<{ limit: string; jit: string }>`
        select current_setting('statement_timeout') as limit, current_setting('jit') as jit`.execute(
        db,
      );
      expect(rows).toEqual([{ limit: '2min', jit: 'off' }]);
    });

    it.each([
      ['no direct address', () => null, /^DATABASE_URL leads to a connection pooler/],
      [
        'a direct address that is pooled',
        () => pooler.urlOf(DATABASE),
        /^DATABASE_DIRECT_URL leads to a connection pooler/,
      ],
      [
        'a direct address of another database',
        () => server.urlOf('postgres'),
        /lead to different databases/,
      ],
    ])('refuses to start with %s', async (_, directUrl, sentence) => {
      const opening = openDatabase(
        {
          databaseUrl: pooler.urlOf(DATABASE),
          directUrl: directUrl(),
          poolSize: 2,
          directory: null,
        },
        createLog('silent'),
      );
      await expect(opening).rejects.toThrow(sentence);
    });
  },
);
