import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { dropAbandonedSegments, mergePostings } from '#src/documents/merge-postings.ts';
import type { Background } from '#src/platform/background.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';

const { signal } = new AbortController();
const atOnce: Background = (work) => work();

let stage: TestServices;
beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());
afterEach(async () => {
  await sql`delete from posting_segment where directory = '\\x00'`.execute(stage.services.db);
});

/** Segments that say they have so many chunks, of which none is left. */
async function insertSegments(count: number, chunks: number): Promise<void> {
  await sql`insert into posting_segment (id, workspace_id, chunks, buckets, directory, ready)
    select gen_random_uuid(), ${stage.workspaceId}, ${chunks}, 1, '\\x00', true
    from generate_series(1, ${count}::int)`.execute(stage.services.db);
}

async function index(name: string): Promise<void> {
  const { services, workspaceId } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  const document = {
    id: name,
    semantic_identifier: name,
    sections: [{ text: `Text of ${name}.` }],
  };
  const item = ingestionItemSchema.parse({ document });
  await services.documentAcceptor.accept(toIncomingDocument(item, context));
  const rows = await services.db.selectFrom('document').select('id').execute();
  await indexDocuments(
    services,
    rows.map(({ id }) => id),
    signal,
  );
}

const merge = (inBackground = atOnce) => mergePostings(stage.services.db, inBackground, signal);
const sizes = async (): Promise<number[]> => {
  const rows = stage.services.db.selectFrom('posting_segment').select('chunks').orderBy('chunks');
  return (await rows.execute()).map(({ chunks }) => chunks);
};

it('segments of which no two fit into one are left alone', async () => {
  await insertSegments(4, 600_000);
  expect(await merge()).toBe(false);
  await insertSegments(4, 400_000);
  expect(await merge()).toBe(true);
  expect(await sizes()).toEqual([0, 400_000, 400_000, 600_000, 600_000, 600_000, 600_000]);
  expect(await merge()).toBe(false);
});

it('the most of one size are merged first, so that large ones do not wait while small ones are written', async () => {
  await insertSegments(5, 2_000);
  await insertSegments(4, 10);
  expect(await merge()).toBe(true);
  expect(await sizes()).toEqual([0, 10, 10, 10, 10]);
});

it('a merge whose result was removed as abandoned keeps its sources', async () => {
  const { db } = stage.services;
  for (const name of ['one', 'two', 'three', 'four']) await index(name);
  const late: Background = async (work) => {
    const done = await work();
    await sql`update posting_segment set created_at = now() - interval '2 hours'`.execute(db);
    await dropAbandonedSegments(db);
    return done;
  };
  expect(await merge(late)).toBe(true);
  expect(await sizes()).toEqual([1, 1, 1, 1]);
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
  expect(await merge()).toBe(true);
  expect(await sizes()).toEqual([4]);
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
});
