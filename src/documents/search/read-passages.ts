import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { countTermIds, termId, workspaceSalt } from '#src/documents/bm25.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { areShown, HIDDEN } from '#src/documents/shown-chunks.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { tokenize, tokenizeWords } from '#src/documents/tokenize.ts';
import { readTermScores } from './read-term-scores.ts';
import { scoreInTurn } from './search-words.ts';

/** Passages compared per document; the beginning of a book represents the whole. */
const MAX_COMPARED = 500;

/** How frequent the words of a question are in a workspace. */
export interface WordCounts {
  /** All passages of the workspace. */
  passages: number;
  /** Stem → passages that contain it. */
  holding: ReadonlyMap<string, number>;
}

/** A passage of a found document, in addition to the one that the search shows. */
export interface FurtherPassage {
  document_id: string;
  chunk_ind: number;
  /** Without tags. */
  text: string;
  headings: string[];
}

export interface PassagesInput {
  workspaceId: WorkspaceId;
  query: string;
  /** Stems that an answer may have instead of words of the query → how much they count. */
  besides?: ReadonlyMap<string, number>;
  /** Ids of documents that the caller may see: those found by a search. */
  documentIds: readonly string[];
  /** Maximum number of passages per document. */
  perDocument: number;
}

/**
 * The passages of found documents that best match the words of a question, and the first of each, which says what the
 * document is about; and how frequent those words are.
 */
export async function readPassages(
  db: Database,
  { workspaceId, query, besides = new Map(), documentIds, perDocument }: PassagesInput,
): Promise<{ counts: WordCounts; further: FurtherPassage[] }> {
  const salt = workspaceSalt(workspaceId);
  const stems = [...new Set(tokenizeWords(query).map(stemWord))];
  const ids = new Map(stems.map((stem) => [stem, termId(stem, salt)]));
  const terms = new Map(Array.from(besides, ([stem, share]) => [termId(stem, salt), share]));
  for (const [id, count] of countTermIds(tokenize(query), salt)) terms.set(id, count);
  const counted = await readTermCounts(db, workspaceId, [...ids.values(), ...terms.keys()]);
  const holding = new Map([...ids].map(([stem, id]) => [stem, counted.df.get(id) ?? 0]));
  const counts = { passages: counted.chunks, holding };
  if (terms.size === 0 || documentIds.length === 0) return { counts, further: [] };
  const compared = await readCompared(db, workspaceId, documentIds);
  const best = await scoreCompared(db, workspaceId, { terms, counted, compared });
  const chosen = [...Map.groupBy(compared, (one) => one.document_id).values()].flatMap((own) => {
    const matching = own
      .filter(({ id }) => best.has(id))
      .sort((a, b) => (best.get(b.id) ?? 0) - (best.get(a.id) ?? 0) || a.id - b.id)
      .slice(0, perDocument);
    return own.filter((one) => one.ordinal === 0 || matching.includes(one));
  });
  const { rows } = await sql<FurtherPassage & { is_html: boolean }>`
    select d.external_id as document_id, c.ordinal as chunk_ind, c.text, c.is_html, c.headings
    from chunk c join document d on d.id = c.document_id
    where c.id = any(${chosen.map(({ id }) => id)}::bigint[]) and ${HIDDEN} is not true
      and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`d.id` })}
    order by d.id, c.ordinal`.execute(db);
  const further = rows.map(({ is_html, ...row }) => ({
    ...row,
    text: is_html ? visibleText(row.text) : row.text,
  }));
  return { counts, further };
}

interface ComparedChunk {
  id: number;
  document_id: DocumentId;
  ordinal: number;
  is_loose: boolean;
}

/** The first chunks of each document that are shown. */
async function readCompared(
  db: Database,
  workspaceId: WorkspaceId,
  documentIds: readonly string[],
): Promise<ComparedChunk[]> {
  const { rows } = await sql<ComparedChunk>`
    select c.id, d.id as document_id, c.ordinal, not t.in_postings as is_loose
    from document d
    cross join lateral (
      select id, ordinal from chunk o where o.document_id = d.id
        and ${areShown(workspaceId, { chunk: sql`o.id`, document: sql`d.id` })}
      order by ordinal limit ${MAX_COMPARED}) c
    join chunk_terms t on t.chunk_id = c.id
    where d.workspace_id = ${workspaceId} and d.external_id = any(${documentIds}::text[])
      and ${HIDDEN} is not true`.execute(db);
  return rows;
}

/** BM25 scores of those chunks that have a word of the question. */
async function scoreCompared(
  db: Database,
  workspaceId: WorkspaceId,
  {
    terms,
    counted,
    compared,
  }: {
    terms: ReadonlyMap<number, number>;
    counted: TermCounts;
    compared: readonly ComparedChunk[];
  },
): Promise<Map<number, number>> {
  // The rows first: a chunk that gets its postings meanwhile is then in both, and never in neither.
  const loose = compared.filter((one) => one.is_loose).map(({ id }) => id);
  const scores = await readTermScores(db, { queryTerms: terms, counts: counted }, loose);
  const found = new Map(
    Array.from(scores, ([id, own]) => [id, [...own.values()].reduce((sum, one) => sum + one, 0)]),
  );
  const { best } = await scoreInTurn(db, workspaceId, terms, counted);
  const ids = new Set(compared.map(({ id }) => id));
  // The best first: a chunk whose terms were made again has the score of before, too.
  for (const { key, score } of best.among(ids).reverse()) found.set(key, score);
  return new Map([...found].filter(([, score]) => score > 0));
}
