import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { workspaceSalt } from './bm25.ts';
import { indexedTextOf } from './chunk-text.ts';
import { visibleText } from './html-text.ts';
import { readDirectory } from './posting-bytes.ts';
import { SEARCHED_TITLE, SHOWN_METADATA } from './shown-columns.ts';
import { TermDeltas } from './term-counts.ts';
import { encodeCounts, frequenciesOf, type TermRow } from './term-frequencies.ts';
import { IS_OLDER, TERMS_VERSION } from './terms-version.ts';
import { termIds } from './tokenize.ts';
import { type ChunkPostings, writePostings } from './write-postings.ts';

/** Rows per transaction: some tens of milliseconds on the embedded database, which has a single session. */
export const RENEWED_PER_STEP = 100;

interface OlderRow extends TermRow {
  chunk_id: number;
  workspace_id: WorkspaceId;
}

interface ChunkText {
  id: number;
  document_id: DocumentId;
  headings: string[];
  text: string;
  is_html: boolean;
}

interface DocumentContext {
  id: DocumentId;
  title: string;
  metadata: DocumentMetadata;
}

/**
 * Makes the terms of chunks again that an earlier version wrote, or still writes beside this one, from their text, and
 * writes their postings. Counts change with them. Until then searches find these chunks by the terms that they have:
 * in their rows, or in the older segments, which stay until `dropOlderSegments`.
 * @returns how many; fewer than `RENEWED_PER_STEP` when none are left
 */
export async function renewTerms(db: Database): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<OlderRow>`
      select chunk_id, workspace_id, terms, weights::text as weights, frequencies from chunk_terms
      where chunk_id = any(array(select chunk_id from chunk_terms where ${IS_OLDER} limit ${RENEWED_PER_STEP})
        || array(select chunk_id from chunk_terms where not in_postings limit ${RENEWED_PER_STEP}))
      order by chunk_id limit ${RENEWED_PER_STEP} for update skip locked`.execute(trx);
    if (rows.length === 0) return 0;
    const texts = await readTexts(
      trx,
      rows.map((row) => row.chunk_id),
    );
    const deltas = new TermDeltas();
    const renewed = rows.map((row) => {
      const made = renewedTerms(row, texts.get(row.chunk_id) ?? '');
      deltas.add(row.workspace_id, made.termIds, 1);
      deltas.add(row.workspace_id, row.terms, -1);
      return made;
    });
    await writeTerms(trx, renewed);
    await writePostings(trx, renewed);
    await deltas.write(trx);
    return rows.length;
  });
}

/**
 * Removes a segment of an earlier version once each of its chunks is in a segment of this one. The version before, when
 * it runs beside this one, may have merged newer segments into it: then the rows of their chunks are renewed first.
 * @returns whether there was a segment to look into
 */
export async function dropOlderSegments(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string; workspace_id: WorkspaceId; directory: Uint8Array }>`
      select id, workspace_id, directory from posting_segment s where ready and ${IS_OLDER}
        and not exists (select 1 from chunk_terms t where t.workspace_id = s.workspace_id and t.${IS_OLDER})
      limit 1 for update skip locked`.execute(trx);
    const [segment] = rows;
    if (!segment) return false;
    const { rows: newer } = await sql<{ directory: Uint8Array }>`
      select directory from posting_segment
      where workspace_id = ${segment.workspace_id} and ready and not ${IS_OLDER}`.execute(trx);
    const covered = new Set(newer.flatMap(({ directory }) => [...readDirectory(directory).ids]));
    const missing = [...readDirectory(segment.directory).ids].filter((id) => !covered.has(id));
    const { rows: left } = await sql`
      update chunk_terms set terms_version = 0 where chunk_id = any(${missing}::bigint[])
      returning 1`.execute(trx);
    if (left.length === 0) {
      await sql`delete from posting_segment where id = ${segment.id}`.execute(trx);
    }
    return true;
  });
}

/** The indexed text of chunks, as far as their rows tell: the header of a table that goes on is left out. */
async function readTexts(
  trx: DatabaseTransaction,
  chunkIds: readonly number[],
): Promise<Map<number, string>> {
  const { rows: chunks } = await sql<ChunkText>`
    select id, document_id, headings, text, is_html from chunk
    where id = any(${chunkIds}::bigint[])`.execute(trx);
  const documents = [...new Set(chunks.map((chunk) => chunk.document_id))];
  // Once for each document: its metadata may be large.
  const { rows: contexts } = await sql<DocumentContext>`
    select id, ${SEARCHED_TITLE} as title, ${SHOWN_METADATA} as metadata
    from document d where id = any(${documents}::bigint[])`.execute(trx);
  const contextOf = new Map(contexts.map((one) => [one.id, one]));
  return new Map(
    chunks.map(({ id, document_id, headings, text, is_html }) => {
      const { title = '', metadata = {} } = contextOf.get(document_id) ?? {};
      const shown = is_html ? visibleText(text) : text;
      return [id, indexedTextOf({ title, metadata }, headings, shown)];
    }),
  );
}

/** What the row has stays: its text may have had words that are not read here. */
function renewedTerms(row: OlderRow, text: string): ChunkPostings {
  const counts = storedCounts(row);
  const found = new Map<number, number>();
  for (const id of termIds(text, workspaceSalt(row.workspace_id))) {
    found.set(id, (found.get(id) ?? 0) + 1);
  }
  for (const [id, count] of found) counts.set(id, Math.max(count, counts.get(id) ?? 0));
  const ids = Int32Array.from(counts.keys()).sort();
  return {
    id: row.chunk_id,
    workspaceId: row.workspace_id,
    termIds: ids,
    termCounts: Uint32Array.from(ids, (id) => counts.get(id) ?? 1),
  };
}

/** How often each term occurs; once, where another formula made the weights. */
function storedCounts(row: OlderRow): Map<number, number> {
  const { length, counts } = frequenciesOf(row);
  return new Map(row.terms.map((id, at) => [id, length === null ? 1 : (counts[at] ?? 1)]));
}

async function writeTerms(
  trx: DatabaseTransaction,
  renewed: readonly ChunkPostings[],
): Promise<void> {
  const rows = renewed.map(({ id, termIds: ids, termCounts }) => ({
    id,
    terms: `{${ids.join(',')}}`,
    frequencies: encodeCounts(termCounts).toString('hex'),
  }));
  await sql`
    update chunk_terms t set terms = x.terms::int[], frequencies = decode(x.frequencies, 'hex'), weights = null,
      terms_version = ${TERMS_VERSION}, in_postings = true
    from json_to_recordset(${JSON.stringify(rows)}::json) as x(id bigint, terms text, frequencies text)
    where t.chunk_id = x.id`.execute(trx);
}
