import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countTermIds, workspaceSalt } from '#src/documents/bm25.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { bestPermitted, scoreByPostings } from '#src/documents/search/search-postings.ts';
import { readTermCounts } from '#src/documents/term-counts.ts';
import { TERMS_VERSION } from '#src/documents/terms-version.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const DOCUMENTS = 60;
/** Each is in most documents, and all are in a few. */
const WORDS = ['alder', 'birch', 'cedar', 'dogwood', 'elder', 'foxglove'];

let stage: TestServices;
let db: Database;

beforeAll(async () => {
  stage = await openTestServices();
  const { services, workspaceId } = stage;
  ({ db } = services);
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const text = ['tree', ...WORDS.filter((_, at) => n % 6 !== at || n % 24 === 0)].join(' ');
    const document = { id: `n-${n}`, semantic_identifier: `n${n}`, sections: [{ text }] };
    await services.documentAcceptor.accept(
      toIncomingDocument(ingestionItemSchema.parse({ document }), context),
    );
  }
  const { rows } = await sql<{ id: DocumentId }>`select id from document`.execute(db);
  const ids = rows.map(({ id }) => id);
  await indexDocuments(services, ids, new AbortController().signal);
});
afterAll(() => stage[Symbol.asyncDispose]());

async function counted(text: string) {
  const terms = countTermIds(tokenize(text), workspaceSalt(stage.workspaceId));
  return { terms, counts: await readTermCounts(db, stage.workspaceId, [...terms.keys()]) };
}

/** Of the chunks with "tree" those that the demanded words let pass. */
async function permitted(text: string, { from = db, most = 1_000 } = {}) {
  const { terms, counts } = await counted('tree');
  const { best } = await scoreByPostings(db, stage.workspaceId, terms, counts);
  const scope = {
    workspaceId: stage.workspaceId,
    userId: null,
    filters: NO_FILTERS,
    conditions: [{ text, isTitle: false, isPhrase: false, isExcluded: false }],
    includesHidden: false,
    limit: 10,
  };
  const found = await bestPermitted(from, scope, best, most);
  return found?.map(({ key }) => key).toSorted((a, b) => a - b);
}

it('of common words that few passages have together, only the rows of these are read', async () => {
  const text = WORDS.join(' ');
  const { terms, counts } = await counted(text);
  const { rows } = await sql<{ id: number }>`
    select chunk_id as id from chunk_terms where terms @> ${[...terms.keys()]}::int[]
    order by 1`.execute(db);
  const most = Math.min(...counts.df.values()) - 1;
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.length).toBeLessThan(most);
  const sent: string[] = [];
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      sent.push(db.getExecutor().compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  expect(await permitted(text, { from: watched, most })).toEqual(rows.map(({ id }) => id));
  // Without them nothing but a scan of the table finds rows by their terms.
  expect(sent.at(-1)).toContain('chunk_id = any');
});

it('a symbol, which terms of an earlier version lack, may be in any passage of that version', async () => {
  expect(await permitted('🎉')).toEqual([]);
  const setVersion = async (version: number) => {
    for (const table of ['chunk_terms', 'posting_segment']) {
      await sql`update ${sql.table(table)} set terms_version = ${version}`.execute(db);
    }
  };
  await setVersion(0);
  expect(await permitted('🎉')).toHaveLength(DOCUMENTS);
  expect(await permitted('alder 🎉', { most: 59 })).toEqual(await permitted('alder'));
  await setVersion(TERMS_VERSION);
});
