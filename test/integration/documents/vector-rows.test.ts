import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';

const { signal } = new AbortController();
/** The sign bits of 1,024 dimensions, three ids and the header. */
const LONGEST_ROW = 230;

let stage: TestServices;
beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function index(texts: readonly string[]): Promise<void> {
  const { db, documentAcceptor } = stage.services;
  const context = {
    workspaceId: stage.workspaceId,
    writer: null,
    requestId: null,
    maxBytes: 1_000_000,
  };
  const document = {
    id: 'one',
    semantic_identifier: 'One',
    sections: texts.map((text) => ({ text })),
  };
  await documentAcceptor.accept(
    toIncomingDocument(ingestionItemSchema.parse({ document }), context),
  );
  const rows = await db.selectFrom('document').select('id').execute();
  await indexDocuments(
    stage.services,
    rows.map(({ id }) => id),
    signal,
  );
}

it('a scan of the sign bits reads nothing else of a vector, and both leave with their chunk', async () => {
  const { db } = stage.services;
  await index(['The first part.', 'The second part.', 'The third part.']);
  const { rows } = await sql<{ vectors: number; longest: number; planes: number }>`
    select count(*)::int as vectors, max(pg_column_size(v.*))::int as longest,
      (select count(*)::int from chunk_planes) as planes from chunk_vector v`.execute(db);
  expect(rows[0]).toMatchObject({ vectors: 3, planes: 3 });
  expect(rows[0]?.longest).toBeLessThanOrEqual(LONGEST_ROW);
  await index(['The first part.']);
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
  const left = await db.selectFrom('chunk_planes').select('chunk_id').execute();
  expect(left).toHaveLength(1);
});
