import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { readCandidates } from '#src/documents/search/read-candidates.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let stage: TestServices;
let workspaceId: WorkspaceId;
let ids: number[];

beforeAll(async () => {
  stage = await openTestServices();
  const { services } = stage;
  const made = await createWorkspace(services.db, { name: 'Candidates', planTier: 'Free' });
  ({ workspaceId } = made);
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  for (const name of ['first', 'second']) {
    const document = {
      id: name,
      semantic_identifier: `The ${name}`,
      sections: [{ text: `Kites of the ${name} fly.` }],
    };
    const item = toIncomingDocument(ingestionItemSchema.parse({ document }), context);
    await services.documentAcceptor.accept(item);
  }
  const { rows } = await sql<{ id: DocumentId }>`select id from document`.execute(services.db);
  const documents = rows.map(({ id }) => id);
  await indexDocuments(services, documents, new AbortController().signal, Infinity);
  const chunks = await sql<{ id: number }>`select id from chunk order by id`.execute(services.db);
  ids = chunks.rows.map(({ id }) => id);
});
afterAll(() => stage[Symbol.asyncDispose]());

const read = async (texts = 2) => {
  const rows = await readCandidates(stage.services.db, workspaceId, ids, {
    texts,
    includesHidden: false,
  });
  return ids.map((id) => rows.get(id));
};

it('texts are read of as many as are asked for', async () => {
  const [first, second] = await read(1);
  expect(first?.text?.text).toContain('Kites of the first');
  expect(second?.externalId).toBe('second');
  expect(second?.text).toBeNull();
});

it('a text that the process knows is the same one until its row changes', async () => {
  const [before] = await read();
  const [again] = await read();
  expect(again?.text).toBe(before?.text);
  await sql`update chunk set text = 'Boats.' where id = ${ids[0]}`.execute(stage.services.db);
  const [after, other] = await read();
  expect(after?.text?.text).toBe('Boats.');
  expect(other?.text?.text).toContain('Kites of the second');
});

it('a title that changes while the text stays is what counts', async () => {
  const [, before] = await read();
  const idOf = (word: string) => termId(word, workspaceSalt(workspaceId));
  expect(before?.text?.evidence(before.searchedTitle).terms).not.toContain(idOf('harbour'));
  await sql`update document set semantic_identifier = 'harbour', title = null
    where external_id = 'second'`.execute(stage.services.db);
  const [, after] = await read();
  expect(after?.text).toBe(before?.text);
  const evidence = after?.text?.evidence(after.searchedTitle);
  expect(evidence?.title).toEqual(Int32Array.of(idOf('harbour')));
  expect(evidence?.terms).toContain(idOf('harbour'));
});

it('what is hidden is told apart, and other workspaces have nothing', async () => {
  await sql`update document set hidden = true where external_id = 'first'`.execute(
    stage.services.db,
  );
  expect((await read()).map((row) => row?.isShown)).toEqual([false, true]);
  const other = await createWorkspace(stage.services.db, { name: 'Other', planTier: 'Free' });
  const rows = await readCandidates(stage.services.db, other.workspaceId, ids, {
    texts: 2,
    includesHidden: true,
  });
  expect(rows.size).toBe(0);
});
