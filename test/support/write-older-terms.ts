import { sql } from 'kysely';
import { countOccurrences, TERM_SPACE, termId, workspaceSalt } from '#src/documents/bm25.ts';
import { indexedTextOf } from '#src/documents/chunk-text.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { TermDeltas } from '#src/documents/term-counts.ts';
import { encodeCounts, type TermRow, weightsOf } from '#src/documents/term-frequencies.ts';
import { wordsOfTitle } from '#src/documents/title-words.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { stableTerms } from '#src/documents/tokenize.ts';
import { writePostings } from '#src/documents/write-postings.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { sparseVectorLiteral } from '#src/platform/vector.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';

/** Each word of a title begins with a mark of the workspace. */
const MARK_LENGTH = 4;

interface ChunkRow {
  id: number;
  workspace_id: WorkspaceId;
  title: string;
  metadata: DocumentMetadata;
  headings: string[];
  text: string;
  is_html: boolean;
}

/** Writes the index again as the version before the first numbered terms made it: rows, postings, counts and titles. */
export async function writeOlderTerms(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<ChunkRow>`
      select c.id, c.workspace_id, coalesce(d.title, d.semantic_identifier) as title, d.metadata,
        c.headings, c.text, c.is_html
      from chunk c join document d on d.id = c.document_id order by c.id`.execute(trx);
    await sql`truncate posting_segment, posting_bucket, term_count, term_delta`.execute(trx);
    const deltas = new TermDeltas();
    const chunks = rows.map((row) => {
      const text = row.is_html ? visibleText(row.text) : row.text;
      const salt = workspaceSalt(row.workspace_id);
      const terms = stableTerms(indexedTextOf(row, row.headings, text));
      const { ids, counts } = countOccurrences(
        Int32Array.from(terms, (term) => termId(term, salt)),
      );
      deltas.add(row.workspace_id, ids, 1);
      return { id: row.id, workspaceId: row.workspace_id, termIds: ids, termCounts: counts };
    });
    await deltas.write(trx);
    for (const { id, termIds, termCounts } of chunks) {
      await sql`update chunk_terms set terms = ${[...termIds]}::int[], terms_version = 0,
        frequencies = ${encodeCounts(termCounts)} where chunk_id = ${id}`.execute(trx);
    }
    await writeWeights(trx);
    await writePostings(trx, chunks);
    await sql`update posting_segment set terms_version = 0`.execute(trx);
    await writeOlderTitles(trx);
  });
}

/** Makes the rows of terms those of the versions that stored weights. */
export async function writeWeights(db: Database): Promise<void> {
  const { rows } = await sql<TermRow & { chunk_id: number }>`
    select chunk_id, terms, weights::text as weights, frequencies
    from chunk_terms where weights is null`.execute(db);
  for (const row of rows) {
    const weights = sparseVectorLiteral(TERM_SPACE, Int32Array.from(row.terms), weightsOf(row));
    await sql`update chunk_terms set weights = ${weights}::sparsevec, frequencies = null
      where chunk_id = ${row.chunk_id}`.execute(db);
  }
}

async function writeOlderTitles(trx: DatabaseTransaction): Promise<void> {
  const { rows } = await sql<{ id: DocumentId; titles: string; words: string[] }>`
    select d.id, d.semantic_identifier || ' ' || coalesce(d.title, '') as titles,
      tsvector_to_array(t.words) as words
    from document_title t join document d on d.id = t.document_id`.execute(trx);
  for (const { id, titles, words } of rows) {
    const known = new Set(wordsOfTitle(titles).flatMap((word) => [word, stemWord(word)]));
    const kept = words.filter((word) => known.has(word.slice(MARK_LENGTH)));
    await sql`update document_title set words = array_to_tsvector(${kept}::text[]), terms_version = 0
      where document_id = ${id}`.execute(trx);
  }
}
