// @module-tag processes
// @module-tag database
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { createSegment } from '#src/documents/vector-index.ts';
import { startProcess } from '#test/support/child-process.ts';
import { untilRecovered } from '#test/support/until.ts';
import { openVectorStage, type VectorStage } from '#test/support/vector-stage.ts';
import { writeWeights } from '#test/support/write-older-terms.ts';

const THRESHOLD = 500;
const CHUNKS = 600;
/** A search by sign bits compares this many of the nearest vectors exactly. */
const RERANKED = 500;
const QUERY = 'which report is about subject123?';
const SIZES = { new: { busy: 150, idle: 50 }, mergedWhileBusy: 300 };
const FIRST = { from: 0, to: 1 };
const VALID = [expect.objectContaining({ valid: true })];
const INVALID = [expect.objectContaining({ valid: false })];

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)(
  'the index over promoted vectors (needs TEST_DATABASE_URL)',
  () => {
    let stage: VectorStage;
    const never = new AbortController().signal;
    const promote = (signal = never) => promoteVectors(stage.services, signal, SIZES);

    beforeEach(async () => {
      stage = await openVectorStage(THRESHOLD);
      await stage.ingest(0, CHUNKS);
    });
    afterEach(() => stage[Symbol.asyncDispose]());

    const isWaiting = async () =>
      (await stage.builders()).some(({ phase }) => phase === 'waiting for old snapshots');

    async function killBuilder(): Promise<void> {
      for (const { pid } of await stage.builders()) {
        await sql`select pg_terminate_backend(${pid})`.execute(stage.services.db);
      }
      await untilRecovered(async () => (await stage.builders()).length === 0);
    }

    /** Leaves the state of a builder that died in the middle. */
    async function interruptBuild(): Promise<void> {
      const held = await stage.holdSnapshot();
      const building = promote();
      const failed = expect(building).rejects.toThrow(/terminat/i);
      await untilRecovered(isWaiting);
      await killBuilder();
      await failed;
      await held[Symbol.asyncDispose]();
      // The pool may hand out the ended connection once more before it hears of its end.
      await expect.poll(() => stage.indexes()).toEqual(INVALID);
    }

    async function expectSearchByBits(): Promise<void> {
      const seen = await stage.search(QUERY);
      expect(seen.hits[0]?.id).toBe('vector-123');
      expect(seen).toMatchObject({ usedIndexes: [], comparedExactly: RERANKED });
    }

    async function expectSearchByIndex(): Promise<void> {
      const seen = await stage.search(QUERY);
      expect(seen.hits[0]?.id).toBe('vector-123');
      expect(seen.usedIndexes).toHaveLength(1);
      expect(seen.comparedExactly).toBe(RERANKED);
    }

    it('is not used while it is being built, and not all vectors are compared instead', async () => {
      const before = await stage.search(QUERY);
      expect(before.comparedExactly).toBe(RERANKED);
      const held = await stage.holdSnapshot();
      const building = promote();
      await untilRecovered(isWaiting);
      expect(await stage.search(QUERY)).toEqual(before);
      await stage.ingest(CHUNKS, CHUNKS + 1);
      expect((await stage.search(`subject${CHUNKS}`)).hits[0]?.id).toBe(`vector-${CHUNKS}`);
      await expectSearchByBits();
      await held[Symbol.asyncDispose]();
      expect(await building).toBe(CHUNKS);
      expect(await stage.indexes()).toEqual(VALID);
      await expectSearchByIndex();
      // What came during the build is staged, and is found without the index.
      expect((await stage.search(`subject${CHUNKS}`)).hits[0]?.id).toBe(`vector-${CHUNKS}`);
      expect(await promote()).toBe(0);
    });

    it('is rebuilt after its builder died and left it invalid', async () => {
      await interruptBuild();
      await expectSearchByBits();
      await promote();
      expect(await stage.indexes()).toEqual(VALID);
      await expectSearchByIndex();
    });

    it('is built by one process at a time', async () => {
      const held = await stage.holdSnapshot();
      const building = promote();
      await untilRecovered(isWaiting);
      expect(await promote()).toBe(0);
      expect(await stage.builders()).toHaveLength(1);
      await held[Symbol.asyncDispose]();
      await building;
      expect(await stage.indexes()).toEqual(VALID);
    });

    it('is finished by the server when the process that began it is killed', async () => {
      const held = await stage.holdSnapshot();
      {
        await using worker = await startProcess('workers/main.ts', stage.settings, [
          'vector-promote',
        ]);
        await untilRecovered(isWaiting);
        await worker.kill();
      }
      expect(await promote()).toBe(0);
      expect(await stage.builders()).toHaveLength(1);
      await expectSearchByBits();
      await held[Symbol.asyncDispose]();
      // The server commits a moment after reporting the end.
      await expect.poll(() => stage.indexes()).toEqual(VALID);
      await expectSearchByIndex();
    });

    it('is abandoned when the process stops, and can be built at once by another', async () => {
      const stopping = new AbortController();
      const held = await stage.holdSnapshot();
      const building = promote(stopping.signal);
      const stopped = expect(building).rejects.toThrow('the process stops');
      await untilRecovered(isWaiting);
      stopping.abort(new Error('the process stops'));
      await stopped;
      await held[Symbol.asyncDispose]();
      await promote();
      expect(await stage.indexes()).toEqual(VALID);
    });

    it('is not used by the next search after somebody drops it, and is rebuilt', async () => {
      await promote();
      await expectSearchByIndex();
      await sql`drop index chunk_vector_promoted_0_2`.execute(stage.services.db);
      await expectSearchByBits();
      await promote();
      await expectSearchByIndex();
    });

    it('is built when an earlier version marked the rows without building it', async () => {
      await sql`update chunk_vector set promoted = true`.execute(stage.services.db);
      await expectSearchByBits();
      await promote();
      await expectSearchByIndex();
    });

    it('is replaced when it is that of an earlier version, over whole vectors', async () => {
      await promote();
      const { db } = stage.services;
      await sql`drop index chunk_vector_promoted_0_2`.execute(db);
      const { dimensions } = stage.services.embedder;
      await sql`alter table chunk_vector
        alter column embedding type halfvec(${sql.lit(dimensions)})`.execute(db);
      await sql`create index chunk_vector_promoted on chunk_vector
        using hnsw (embedding halfvec_ip_ops) where promoted`.execute(db);
      await expectSearchByBits();
      await promote();
      await expectSearchByIndex();
    });

    it('is built with the share of the server that it is given', async () => {
      await stage.services.db.connection().execute(async (connection) => {
        await createSegment(connection, FIRST, { workers: 1, megabytes: 99 });
        const { rows } = await sql`select current_setting('maintenance_work_mem') as memory,
          current_setting('max_parallel_maintenance_workers') as workers`.execute(connection);
        expect(rows).toEqual([{ memory: '99MB', workers: '1' }]);
        await sql`set maintenance_work_mem = '200MB'`.execute(connection);
        await sql`drop index chunk_vector_promoted_0_1`.execute(connection);
        await createSegment(connection, FIRST, { workers: 0, megabytes: 99 });
        const after = await sql`select current_setting('maintenance_work_mem') as memory`.execute(
          connection,
        );
        expect(after.rows).toEqual([{ memory: '200MB' }]);
        await sql`reset all`.execute(connection);
      });
    });

    it('is unaffected by common words, which are looked up in their own index', async () => {
      await writeWeights(stage.services.db);
      await sql`update chunk_terms set in_postings = false`.execute(stage.services.db);
      const seen = await stage.search('a report with a remark');
      expect(seen.hits).toHaveLength(10);
      expect(seen.scansWords).toBe(false);
    });

    it('is not inserted into where the sequence of its numbers is behind', async () => {
      await promote();
      await sql`alter sequence vector_segment restart`.execute(stage.services.db);
      await stage.ingest(CHUNKS, CHUNKS + 60);
      expect(await promote()).toBe(60);
      const names = (await stage.indexes()).map(({ name }) => name);
      expect(names).toEqual(['chunk_vector_promoted_0_2', 'chunk_vector_promoted_2_3']);
    });

    it('is over vectors, also where a number has more of them than fit into memory', async () => {
      const config = { ...stage.services.config, VECTOR_INDEX_MEMORY_MB: 0 };
      await promoteVectors({ ...stage.services, config }, never, SIZES);
      const names = (await stage.indexes()).map(({ name }) => name);
      expect(names).toEqual(['chunk_vector_promoted_0_2', 'chunk_vector_promoted_2_3']);
    });

    it('leaves an index of an operator alone', async () => {
      const { db } = stage.services;
      await sql`create index chunk_vector_promoted_by_document on chunk_vector (document_id, promoted)`.execute(
        db,
      );
      await promote();
      const { rows } = await sql<{ kept: boolean }>`
        select to_regclass('chunk_vector_promoted_by_document') is not null as kept`.execute(db);
      expect(rows).toEqual([{ kept: true }]);
    });

    it('loses the remains of an interrupted reindex', async () => {
      await promote();
      const held = await stage.holdSnapshot();
      const reindexing = sql`reindex index concurrently chunk_vector_promoted_0_2`.execute(
        stage.services.db,
      );
      const failed = expect(reindexing).rejects.toThrow(/terminat/i);
      await untilRecovered(isWaiting);
      // Not while the reindex is still running.
      await promote();
      expect(await stage.builders()).toHaveLength(1);
      await expectSearchByIndex();
      await killBuilder();
      await failed;
      await held[Symbol.asyncDispose]();
      await expect.poll(() => stage.indexes()).toHaveLength(2);
      await expectSearchByIndex();
      await promote();
      expect(await stage.indexes()).toEqual(VALID);
      await expectSearchByIndex();
    });
  },
);
