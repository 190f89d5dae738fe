import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { reembedEverything } from '#src/documents/embedding-model.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { readIndexedDocument } from '#src/documents/indexed-documents.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const { signal } = new AbortController();
const TEXT = 'Ask “Zoë” 🎉 for \\u0041 and "keys".\n\n\tThen < wait > & see.';

let stage: TestServices;
let workspaceId: WorkspaceId;
beforeAll(async () => {
  stage = await openTestServices();
  const made = await createWorkspace(stage.services.db, { name: 'Texts', planTier: 'Free' });
  ({ workspaceId } = made);
});
afterAll(() => stage[Symbol.asyncDispose]());

type Section = { text: string; link?: string };

async function accept(id: string, sections: Section[], title = id): Promise<DocumentId> {
  const item = ingestionItemSchema.parse({
    document: { id, semantic_identifier: title, source: 'file', sections },
  });
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 10_000_000 };
  await stage.services.documentAcceptor.accept(toIncomingDocument(item, context));
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where external_id = ${id}`.execute(stage.services.db);
  return rows[0]?.id ?? (0 as DocumentId);
}

async function index(id: string, sections: Section[], title?: string): Promise<DocumentId> {
  const document = await accept(id, sections, title);
  await indexDocuments(stage.services, [document], signal);
  return document;
}

async function stored(id: DocumentId) {
  const { rows } = await sql<{ texts: number; chunks: string[]; status: string }>`
    select (select count(*)::int from document_text where document_id = ${id}) as texts,
      array(select text from chunk where document_id = ${id} order by id) as chunks,
      (select status from document where id = ${id}) as status`.execute(stage.services.db);
  return rows[0];
}

const sectionsOf = async (id: DocumentId) =>
  (await readIndexedDocument(stage.services.db, workspaceId, id))?.sections;

it('the text of a short document is only in its chunk once it is indexed, and read from there', async () => {
  const section = { text: TEXT, link: 'https://example.test/a?b=c#"d"' };
  const id = await accept('short', [section]);
  expect(await stored(id)).toMatchObject({ texts: 1, chunks: [] });
  await indexDocuments(stage.services, [id], signal);
  expect(await stored(id)).toEqual({ texts: 0, chunks: [TEXT], status: 'indexed' });
  expect(await sectionsOf(id)).toEqual([{ ...section, image_file_id: null }]);
});

it.each([
  ['two sections', [{ text: 'The first part.' }, { text: 'The second part.' }]],
  ['a text that its chunk has in another form', [{ text: '  Spaces around it.  ' }]],
  ['several chunks', [{ text: 'A sentence about boats. '.repeat(1_000) }]],
])('a document with %s keeps its text', async (name, sections: Section[]) => {
  const id = await index(name, sections);
  expect(await stored(id)).toMatchObject({ texts: 1, status: 'indexed' });
  expect(await sectionsOf(id)).toMatchObject(sections);
});

it('a new text takes the place of the one in the chunk', async () => {
  const id = await index('edited', [{ text: 'Once it was red.' }]);
  await accept('edited', [{ text: 'Now it is blue.' }]);
  expect(await stored(id)).toMatchObject({ texts: 1, chunks: ['Once it was red.'] });
  await indexDocuments(stage.services, [id], signal);
  expect(await stored(id)).toMatchObject({ texts: 0, chunks: ['Now it is blue.'] });
});

it('a document is indexed again from its chunk', async () => {
  const id = await index('again', [{ text: TEXT }]);
  const { db } = stage.services;
  await sql`update document set status = 'accepted', revision = revision + 1 where id = ${id}`.execute(
    db,
  );
  await indexDocuments(stage.services, [id], signal);
  expect(await stored(id)).toEqual({ texts: 0, chunks: [TEXT], status: 'indexed' });
});

it('re-embedding deletes the chunks, and loses no text', async () => {
  const id = await index('embedded', [{ text: TEXT }]);
  const { db, embedder } = stage.services;
  await reembedEverything(db, embedder);
  expect(await stored(id)).toMatchObject({ texts: 1, chunks: [], status: 'accepted' });
  await indexDocuments(stage.services, [id], signal);
  expect(await stored(id)).toEqual({ texts: 0, chunks: [TEXT], status: 'indexed' });
});
