// @module-tag processes
// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertEmbeddingModel, reembedEverything } from '#src/documents/embedding-model.ts';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import { createLog } from '#src/platform/log.ts';
import { assertSchemaIsCurrent, migrate } from '#src/platform/migrations.ts';
import { sendUnfinished } from '#src/documents/reconcile-documents.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const log = createLog('silent');
let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({ VECTOR_PROMOTE_THRESHOLD: '20' });
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function ingest(count: number): Promise<void> {
  const documents = Array.from({ length: count }, (_, n) => ({
    document: {
      id: `start-${n}`,
      semantic_identifier: `Start ${n}`,
      sections: [{ text: `Text number ${n} speaks of subject${n} and of nothing else.` }],
    },
  }));
  const { body } = await millrace.call('POST', '/service-api/ingestion/batch', { documents });
  expect(body.failed).toBe(0);
  await millrace.settled();
}

const firstHit = async (query: string) =>
  (await millrace.call('POST', '/search', { query })).body.results[0]?.document_id;

describe('the schema', () => {
  it('is migrated once when two processes start at once', async () => {
    const { db } = millrace.services;
    await Promise.all([migrate(db, log), migrate(db, log)]);
    await assertSchemaIsCurrent(db, log);
  });

  it('is refused with the remedy when it is newer than the code', async () => {
    const { db } = millrace.services;
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'x')`.execute(
      db,
    );
    try {
      await expect(migrate(db, log)).rejects.toThrow(/newer than this code.*9999-future/);
      await expect(assertSchemaIsCurrent(db, log)).rejects.toThrow(/later one/);
    } finally {
      await sql`delete from kysely_migration where name = '9999-future'`.execute(db);
    }
  });

  it('is refused when a migration is missing, and the error names the command', async () => {
    const { db } = millrace.services;
    const { rows } = await sql<{ name: string; timestamp: string }>`
      delete from kysely_migration returning name, timestamp`.execute(db);
    try {
      await expect(assertSchemaIsCurrent(db, log)).rejects.toThrow(/npm run migrate/);
    } finally {
      for (const row of rows) {
        await sql`insert into kysely_migration (name, timestamp)
          values (${row.name}, ${row.timestamp})`.execute(db);
      }
    }
  });
});

describe('the embedding model', () => {
  it('is refused when the index was built with another one, and can be changed by re-embedding', async () => {
    const { db, embedder } = millrace.services;
    await ingest(3);
    const other = { model: 'another-model', dimensions: embedder.dimensions };
    await expect(assertEmbeddingModel(db, other)).rejects.toThrow(/another-model.*--reembed/s);
    await assertEmbeddingModel(db, embedder);
    expect(await reembedEverything(db, embedder)).toBe(3);
    await sendUnfinished(millrace.services, new AbortController().signal, 0);
    await millrace.settled();
    expect(await firstHit('subject2')).toBe('start-2');
  });
});

describe('the vectors', () => {
  it('are found while staged, while half promoted, and from the index', async () => {
    await ingest(60);
    const { db } = millrace.services;
    await foldTermDeltas(db, 100_000);
    expect(await firstHit('subject42')).toBe('start-42');
    const moved = await promoteVectors(millrace.services, new AbortController().signal);
    const { rows } = await sql<{ promoted: number; index: boolean }>`
      select count(*) filter (where promoted)::int as promoted,
        to_regclass('chunk_vector_promoted_0_2') is not null as index from chunk_vector`.execute(
      db,
    );
    const expected = millrace.size === 'embedded' ? 0 : 60;
    expect(rows[0]).toEqual({ promoted: expected, index: expected > 0 });
    expect(moved).toBe(expected);
    expect(await firstHit('subject42')).toBe('start-42');
    await millrace.call('POST', '/service-api/ingestion', {
      document: { id: 'late', semantic_identifier: 'Late', sections: [{ text: 'A latecomer.' }] },
    });
    await millrace.settled();
    expect(await firstHit('latecomer')).toBe('late');
  });
});
