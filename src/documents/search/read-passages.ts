import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { sparseVectorLiteral } from '#src/platform/vector.ts';
import {
  countTermIds,
  queryVector,
  TERM_SPACE,
  termId,
  workspaceSalt,
} from '#src/documents/bm25.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { areShown, HIDDEN } from '#src/documents/shown-chunks.ts';
import { readTermCounts } from '#src/documents/term-counts.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { tokenize, tokenizeWords } from '#src/documents/tokenize.ts';

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
  const vector = queryVector(terms, counted.df, counted.chunks);
  const wanted = sparseVectorLiteral(TERM_SPACE, vector.ids, vector.weights);
  const { rows } = await sql<FurtherPassage & { is_html: boolean }>`
    select d.external_id as document_id, c.ordinal as chunk_ind, c.text, c.is_html, c.headings
    from document d
    cross join lateral (
      (select t.chunk_id from (
        select chunk_id, weights from chunk_terms
        where document_id = d.id and ${areShown(workspaceId)}
        order by chunk_id limit ${MAX_COMPARED}) t
      where t.weights <#> ${wanted}::sparsevec < 0
      order by t.weights <#> ${wanted}::sparsevec, t.chunk_id limit ${perDocument})
      union
      (select f.id from chunk f
      where f.document_id = d.id and f.ordinal = 0
        and ${areShown(workspaceId, { chunk: sql`f.id`, document: sql`d.id` })})) best
    join chunk c on c.id = best.chunk_id
    where d.workspace_id = ${workspaceId} and d.external_id = any(${documentIds}::text[])
      and ${HIDDEN} is not true
    order by d.id, c.ordinal`.execute(db);
  const further = rows.map(({ is_html, ...row }) => ({
    ...row,
    text: is_html ? visibleText(row.text) : row.text,
  }));
  return { counts, further };
}
