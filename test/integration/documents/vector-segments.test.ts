// @module-tag processes
// @module-tag database
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { CHUNKS_BUCKET } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { untilRecovered } from '#test/support/until.ts';
import { openVectorStage, type VectorStage } from '#test/support/vector-stage.ts';

const THRESHOLD = 50;
const SIZES = { new: { busy: 150, idle: 50 }, mergedWhileBusy: 500 };
const QUERY = 'which report is about subject7?';
const OTHER = randomUUID() as WorkspaceId;

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)(
  'a segment of the vector index (needs TEST_DATABASE_URL)',
  () => {
    let stage: VectorStage;
    const never = new AbortController().signal;
    const promote = (signal = never) => promoteVectors(stage.services, signal, SIZES);

    beforeEach(async () => {
      stage = await openVectorStage(THRESHOLD);
    });
    afterEach(() => stage[Symbol.asyncDispose]());

    /** Ingests so many documents, which become one segment each. */
    async function addSegments(...counts: number[]): Promise<void> {
      let from = (await chunkIds()).length;
      for (const count of counts) {
        await stage.ingest(from, from + count);
        expect(await promote()).toBe(count);
        from += count;
      }
    }

    async function chunkIds(): Promise<number[]> {
      const { rows } = await sql<{ chunk_id: number }>`
        select chunk_id from chunk_vector order by chunk_id`.execute(stage.services.db);
      return rows.map(({ chunk_id }) => chunk_id);
    }

    async function expectEachFoundOnce(): Promise<void> {
      const found = await stage.nearest(QUERY);
      expect(found.toSorted((one, other) => one - other)).toEqual(await chunkIds());
      expect((await stage.search(QUERY)).hits[0]?.id).toBe('vector-7');
    }

    const valid = async () =>
      (await stage.indexes()).filter((index) => index.valid).map(({ name }) => name);
    const isWaiting = async () =>
      (await stage.builders()).some(({ phase }) => phase === 'waiting for old snapshots');

    async function killBuilder(): Promise<void> {
      for (const { pid } of await stage.builders()) {
        await sql`select pg_terminate_backend(${pid})`.execute(stage.services.db);
      }
      await untilRecovered(async () => (await stage.builders()).length === 0);
    }

    it('has an index, which a search uses beside the staged vectors', async () => {
      await addSegments(120, 60);
      await stage.ingest(180, 200);
      expect(await promote()).toBe(0);
      expect(await valid()).toEqual(['chunk_vector_promoted_0_2', 'chunk_vector_promoted_2_3']);
      await expectEachFoundOnce();
      expect((await stage.search(QUERY)).usedIndexes).toEqual(await valid());
    });

    async function markAs(status: 'accepted' | 'indexed'): Promise<void> {
      await sql`update document set status = ${status} where external_id = 'vector-0'`.execute(
        stage.services.db,
      );
    }

    it('waits for more vectors while documents wait for indexing', async () => {
      await addSegments(120);
      await stage.ingest(120, 220);
      await markAs('accepted');
      expect(await promote()).toBe(0);
      await markAs('indexed');
      expect(await promote()).toBe(100);
    });

    /** Four small segments, which are not merged because documents wait. */
    async function addUnmerged(): Promise<void> {
      for (const from of [0, 60, 120, 180]) {
        await stage.ingest(from, from + 60);
        await markAs('accepted');
        const moved = await promoteVectors(stage.services, never, {
          new: { busy: 50, idle: 50 },
          mergedWhileBusy: 100,
        });
        expect(moved).toBe(60);
        await markAs('indexed');
      }
    }

    it('is merged with its neighbours, four at a time', async () => {
      await addSegments(60, 60, 60);
      expect(await valid()).toHaveLength(3);
      await addSegments(60);
      expect(await stage.indexes()).toEqual([{ name: 'chunk_vector_promoted_0_5', valid: true }]);
      await expectEachFoundOnce();
    });

    it('serves while it is merged, and after a merge that died', async () => {
      await addUnmerged();
      const four = await valid();
      expect(four).toHaveLength(4);
      const held = await stage.holdSnapshot();
      const building = promote();
      const failed = expect(building).rejects.toThrow(/terminat/i);
      await untilRecovered(isWaiting);
      expect(await valid()).toEqual(four);
      await killBuilder();
      await failed;
      await held[Symbol.asyncDispose]();
      await expect.poll(() => stage.indexes()).toHaveLength(5);
      expect((await stage.search(QUERY)).usedIndexes).toEqual(four);
      await expectEachFoundOnce();
      expect(await promote()).toBe(0);
      expect(await stage.indexes()).toEqual([{ name: 'chunk_vector_promoted_0_5', valid: true }]);
      await expectEachFoundOnce();
    });

    it('is built over what was marked before their build died', async () => {
      await addSegments(120);
      await stage.ingest(120, 180);
      const held = await stage.holdSnapshot();
      const building = promote();
      const failed = expect(building).rejects.toThrow(/terminat/i);
      await untilRecovered(isWaiting);
      await expectEachFoundOnce();
      await killBuilder();
      await failed;
      await held[Symbol.asyncDispose]();
      await expectEachFoundOnce();
      await expect.poll(valid).toEqual(['chunk_vector_promoted_0_2']);
      expect(await promote()).toBe(0);
      expect(await valid()).toEqual(['chunk_vector_promoted_0_2', 'chunk_vector_promoted_2_4']);
      await expectEachFoundOnce();
    });

    it('is dropped later where its merge did not come to that', async () => {
      await addSegments(60, 60, 60, 60);
      await sql`create index chunk_vector_promoted_2_3 on chunk_vector
        using hnsw (bits bit_hamming_ops) where promoted and segment >= 2 and segment < 3`.execute(
        stage.services.db,
      );
      expect((await stage.search(QUERY)).usedIndexes).toEqual(['chunk_vector_promoted_0_5']);
      await expectEachFoundOnce();
      await promote();
      expect(await valid()).toEqual(['chunk_vector_promoted_0_5']);
    });

    it('is built again when somebody drops it', async () => {
      await addSegments(60, 60, 60);
      await sql`drop index chunk_vector_promoted_2_3`.execute(stage.services.db);
      await expectEachFoundOnce();
      await promote();
      expect(await valid()).toHaveLength(3);
      await sql`drop index chunk_vector_promoted_3_4`.execute(stage.services.db);
      await expectEachFoundOnce();
      await promote();
      expect(await valid()).toHaveLength(3);
      await sql`drop index chunk_vector_promoted_0_2`.execute(stage.services.db);
      await expectEachFoundOnce();
      await promote();
      expect(await valid()).toHaveLength(3);
      await expectEachFoundOnce();
    });

    it('has no vectors of chunks that are gone', async () => {
      await addSegments(120, 60);
      const { db } = stage.services;
      const isGone = async (condition: RawBuilder<unknown>) => {
        await sql`delete from chunk_vector where ${condition}`.execute(db);
        const found = await stage.nearest(QUERY);
        expect(found.toSorted((one, other) => one - other)).toEqual(await chunkIds());
      };
      await isGone(sql`segment = 1 and chunk_id % 2 = 0`);
      await isGone(sql`segment = 2`);
      await sql`vacuum chunk_vector`.execute(db);
      await isGone(sql`chunk_id = (select min(chunk_id) from chunk_vector)`);
    });

    it('is made of a workspace that becomes large later', async () => {
      const { db } = stage.services;
      await stage.ingest(0, 300);
      // Of the chunks that came first, which no number of chunks belongs to yet.
      await sql`update chunk_vector set workspace_id = ${OTHER}
        where chunk_id in (select chunk_id from chunk_vector order by chunk_id limit 150)`.execute(
        db,
      );
      expect(await promote()).toBe(150);
      const before = await stage.nearest(QUERY, OTHER);
      expect(before).toHaveLength(150);
      const sizeOf = async () =>
        (await sql`select pg_relation_size('chunk_vector_promoted_0_2')::int as size`.execute(db))
          .rows;
      const size = await sizeOf();
      await sql`insert into term_count (workspace_id, bucket, terms, chunks)
        select ${OTHER}::uuid, bucket, terms, chunks from term_count where bucket = ${CHUNKS_BUCKET}`.execute(
        db,
      );
      expect(await promote()).toBe(150);
      expect(await valid()).toEqual(['chunk_vector_promoted_0_2', 'chunk_vector_promoted_2_3']);
      expect(await sizeOf()).toEqual(size);
      expect(new Set(await stage.nearest(QUERY, OTHER))).toEqual(new Set(before));
    });

    it('replaces the index of an earlier version, which serves until then', async () => {
      const { db } = stage.services;
      await stage.ingest(0, 200);
      await sql`update chunk_vector set promoted = true`.execute(db);
      await sql`create index chunk_vector_promoted on chunk_vector
        using hnsw (bits bit_hamming_ops) where promoted`.execute(db);
      await stage.ingest(200, 260);
      const isServing = async () => {
        expect((await stage.search(QUERY)).usedIndexes).toEqual(['chunk_vector_promoted']);
        await expectEachFoundOnce();
      };
      await isServing();
      const held = await stage.holdSnapshot();
      const building = promote();
      await untilRecovered(isWaiting);
      await isServing();
      await held[Symbol.asyncDispose]();
      expect(await building).toBe(60);
      expect(await stage.indexes()).toEqual([
        { name: 'chunk_vector_promoted_0_1', valid: true },
        { name: 'chunk_vector_promoted_1_2', valid: true },
      ]);
      await expectEachFoundOnce();
    });

    it('is not used by a search whose snapshot is older, which uses smaller ones instead', async () => {
      await addSegments(60, 60);
      const { db } = stage.services;
      const small = await valid();
      await db.transaction().execute(async (trx) => {
        // Snapshots of other sessions begin with this transaction, as long as it lasts.
        await sql`select pg_current_xact_id()`.execute(trx);
        await sql`create index chunk_vector_promoted_0_3 on chunk_vector
          using hnsw (bits bit_hamming_ops) where promoted and segment >= 0 and segment < 3`.execute(
          db,
        );
        await sql`update pg_index set indcheckxmin = true
          where indexrelid = 'chunk_vector_promoted_0_3'::regclass`.execute(db);
        expect((await stage.search(QUERY)).usedIndexes).toEqual(small);
        await expectEachFoundOnce();
      });
      expect((await stage.search(QUERY)).usedIndexes).toEqual(['chunk_vector_promoted_0_3']);
      await expectEachFoundOnce();
    });
  },
);
