import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillTitles } from '#src/documents/fill-titles.ts';
import { gatherWords } from '#src/documents/gather-words.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { searchPage } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import type { DocumentId, UserId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { onRows } from '#test/support/on-rows.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const SEARCHER = '00000000-0000-4000-8000-000000000009' as UserId;
/** A title may be as long as a document; a document has thousands of passages. */
const TITLE = `Walruses ${'and their tusks '.repeat(20_000)}`;
const SECTIONS = 60;
/** Less than one such title, and far more than the passages. */
const MAX_READ = 200_000;

let stage: TestServices;
let readBytes = 0;

beforeAll(async () => {
  stage = await openTestServices();
  const { services, workspaceId } = stage;
  const sections = Array.from({ length: SECTIONS }, (_, n) => ({
    text: `The walrus of bay ${n}.`,
  }));
  const document = { id: 'long', semantic_identifier: TITLE, title: TITLE, sections };
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 10_000_000 };
  await services.documentAcceptor.accept(
    toIncomingDocument(ingestionItemSchema.parse({ document }), context),
  );
  const { rows } = await sql<{ id: DocumentId }>`select id from document`.execute(services.db);
  const ids = rows.map(({ id }) => id);
  await indexDocuments(services, ids, new AbortController().signal);
});
afterAll(() => stage[Symbol.asyncDispose]());

/** The services, with a database that counts what is read of it. */
function metered(): Services {
  readBytes = 0;
  const db = onRows(stage.services.db, (rows) => {
    readBytes += JSON.stringify(rows).length;
  });
  return { ...stage.services, db };
}

it.each(['walrus bay', '"walrus of bay"', 'walrus -"walrus of hill"', 'walrus -title:"sea lion"'])(
  'a search for %s reads little of a long title',
  async (query) => {
    const { hits } = await searchPage(metered(), {
      workspaceId: stage.workspaceId,
      userId: SEARCHER,
      query,
      filters: NO_FILTERS,
      limit: 10,
      signal: new AbortController().signal,
      offset: 0,
      hasOperators: true,
      recencyBias: null,
      hybridAlpha: null,
      collapses: true,
      includesHidden: false,
      highlights: true,
      facets: true,
      explains: true,
    });
    expect(hits).toHaveLength(1);
    expect(readBytes).toBeLessThan(MAX_READ);
  },
);

it('the words of its passages are gathered without reading it for each', async () => {
  // Nothing is gathered while a transaction from before the index runs, be it of another database of the server.
  await expect.poll(() => gatherWords(metered().db)).toBe(SECTIONS);
  expect(readBytes).toBeLessThan(MAX_READ);
});

it('its own words are filled in after an upgrade from its beginning', async () => {
  const { db } = stage.services;
  await sql`delete from document_title`.execute(db);
  await sql`insert into deployment_fact (name, value)
    select 'titles_to_fill', json_build_object('after', 0, 'through', max(id)) from document`.execute(
    db,
  );
  expect(await fillTitles(metered().db, new AbortController().signal)).toBe(1);
  expect(readBytes).toBeLessThan(MAX_READ);
  const { rows } = await sql`select 1 from document_title`.execute(db);
  expect(rows).toHaveLength(1);
});
