// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { foldTerms } from '#src/documents/fold-terms.ts';
import { foldTermDeltas, readTermCounts, TermDeltas } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

/** The first three are in one bucket. */
const TERMS = [7, 263, 519, 8, 536_870_911];
const FIRST = 'a0000000-0000-4000-8000-000000000000' as WorkspaceId;
const SECOND = 'a0000000-0000-4000-8000-000000000001' as WorkspaceId;

let stage: TestServices;

beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`truncate term_count, term_delta`.execute(stage.services.db);
});

/** Adds chunks with these terms to the counts, or removes them, in one write. */
async function count(workspaceId: WorkspaceId, chunks: number[][], by: 1 | -1): Promise<void> {
  const deltas = new TermDeltas();
  for (const terms of chunks) deltas.add(workspaceId, terms, by);
  await stage.services.db.transaction().execute((trx) => deltas.write(trx));
}

async function read(workspaceId: WorkspaceId): Promise<unknown> {
  const { chunks, df } = await readTermCounts(stage.services.db, workspaceId, TERMS);
  return { chunks, df: Object.fromEntries(df) };
}

async function deltasLeft(): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*)::int as left from term_delta`.execute(stage.services.db);
  return rows[0]?.left ?? 0;
}

async function rowsLeft(): Promise<unknown> {
  const { rows } = await sql<{ deltas: number; terms: number }>`
    select (select count(*)::int from term_delta) as deltas,
      (select coalesce(sum(cardinality(terms)), 0)::int from term_count) as terms`.execute(
    stage.services.db,
  );
  return rows[0];
}

it('counts are the same before, in the middle of, and after folding', async () => {
  await count(FIRST, [[7, 263], [7, 8], [7]], 1);
  await count(FIRST, [[263, 519], [536_870_911]], 1);
  await count(FIRST, [[7, 8]], -1);
  await count(SECOND, [[7]], 1);
  const expected = { chunks: 4, df: { 7: 2, 263: 2, 519: 1, 536870911: 1 } };
  expect(await read(FIRST)).toEqual(expected);
  let steps = 0;
  for (; (await foldTermDeltas(stage.services.db, 1)).folded === 1; steps += 1) {
    expect(await read(FIRST)).toEqual(expected);
  }
  expect(steps).toBeGreaterThan(5);
  await count(FIRST, [[519]], 1);
  await foldTermDeltas(stage.services.db, 100);
  expect(await read(FIRST)).toEqual({ chunks: 5, df: { 7: 2, 263: 2, 519: 2, 536870911: 1 } });
  expect(await read(SECOND)).toEqual({ chunks: 1, df: { 7: 1 } });
});

it('terms that no chunk contains any more leave nothing behind', async () => {
  await count(FIRST, [TERMS, TERMS], 1);
  await foldTermDeltas(stage.services.db, 100);
  await count(FIRST, [TERMS, TERMS], -1);
  await foldTermDeltas(stage.services.db, 100);
  expect(await read(FIRST)).toEqual({ chunks: 0, df: {} });
  expect(await rowsLeft()).toEqual({ deltas: 0, terms: 0 });
});

it('folding during writes and other folds neither loses nor duplicates counts', async () => {
  const writes = Array.from({ length: 40 }, () => count(FIRST, [[7, 263], [8]], 1));
  const folds = Array.from({ length: 20 }, () => foldTermDeltas(stage.services.db, 9));
  await Promise.all([...writes, ...folds]);
  expect(await read(FIRST)).toEqual({ chunks: 80, df: { 7: 40, 263: 40, 8: 40 } });
  while ((await foldTermDeltas(stage.services.db, 9)).folded > 0);
  expect(await read(FIRST)).toEqual({ chunks: 80, df: { 7: 40, 263: 40, 8: 40 } });
  expect(await rowsLeft()).toEqual({ deltas: 0, terms: 4 });
});

it('a term requested twice is counted once', async () => {
  await count(FIRST, [[7]], 1);
  const { chunks, df } = await readTermCounts(stage.services.db, FIRST, [7, 7]);
  expect([chunks, df.get(7)]).toEqual([1, 1]);
});

it('folded rows leave their room to the next ones', async () => {
  const { db } = stage.services;
  const never = new AbortController().signal;
  const sizeAfterLoad = async () => {
    await sql`insert into term_delta (bucket, workspace_id, terms, deltas)
      select n % 256, ${FIRST}, array[n % 256], array[1] from generate_series(1, 10100) n`.execute(
      db,
    );
    const { rows } = await sql<{ bytes: number }>`
      select pg_relation_size('term_delta')::int as bytes`.execute(db);
    expect(await foldTerms(stage.services, never)).toBe(10_100);
    return rows[0]?.bytes ?? 0;
  };
  const first = await sizeAfterLoad();
  expect(await sizeAfterLoad()).toBeLessThan(1.2 * first);
});

/** More than one step takes in either size. */
const MANY = 5_000;

it('folding that is stopped loses no counts, and goes on later', async () => {
  await sql`insert into term_delta (bucket, workspace_id, terms, deltas)
    select 7, ${FIRST}, array[7], array[1] from generate_series(1, ${MANY}::int)`.execute(
    stage.services.db,
  );
  const stopping = AbortSignal.abort(new Error('the process stops'));
  await expect(foldTerms(stage.services, stopping)).rejects.toThrow('the process stops');
  const left = await deltasLeft();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(MANY);
  expect(await read(FIRST)).toMatchObject({ df: { 7: MANY } });
  expect(await foldTerms(stage.services, new AbortController().signal)).toBe(left);
  expect(await read(FIRST)).toMatchObject({ df: { 7: MANY } });
});

it('folding ends while changes are written, and takes those behind it the next time', async () => {
  const { db } = stage.services;
  const write = (rows: number, buckets: number) =>
    sql`
    insert into term_delta (bucket, workspace_id, terms, deltas)
    select n % ${buckets}::int, ${FIRST}, array[n % ${buckets}::int], array[1]
    from generate_series(1, ${rows}::int) n`.execute(db);
  await write(MANY, 256);
  let written = 0;
  const services: typeof stage.services = {
    ...stage.services,
    async inBackground(work) {
      const result = await work();
      // Without an end, the fold would take these as well.
      if (written < 10 * MANY) written += Number((await write(MANY, 1)).numAffectedRows);
      return result;
    },
  };
  const never = new AbortController().signal;
  expect(await foldTerms(services, never)).toBe(MANY);
  expect(await deltasLeft()).toBe(written);
  expect(await foldTerms(stage.services, never)).toBe(written);
});
