import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { areShown, GONE, HIDDEN } from '#src/documents/shown-chunks.ts';
import { SEARCHED_TITLE, SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import type { Database } from '#src/platform/database.ts';
import { keepText, KnownText, recallText } from './known-text.ts';

/** What is known of a candidate: its document, and its text where that was asked for. */
export interface CandidateRow {
  externalId: string;
  searchedTitle: string;
  title: string;
  boost: number;
  updatedAt: Date | null;
  chunkCount: number;
  /** Not deleted, hidden, or part of a text that is not complete. */
  isShown: boolean;
  text: KnownText | null;
}

interface Row {
  chunk_id: number;
  version: string;
  external_id: string;
  searched_title: string;
  title: string;
  boost: number;
  doc_updated_at: Date | null;
  chunk_count: number;
  is_shown: boolean;
  /** Null when it is not asked for, or known. */
  text: string | null;
  headings: string[] | null;
  is_html: boolean;
}

/**
 * Reads candidates in one statement, with the text of the first `texts`. A text that the process knows is not sent
 * again: the version of its row tells whether it is still the same. Candidates that were deleted meanwhile are left out.
 */
export async function readCandidates(
  db: Database,
  workspaceId: WorkspaceId,
  chunkIds: readonly number[],
  { texts, includesHidden }: { texts: number; includesHidden: boolean },
): Promise<Map<number, CandidateRow>> {
  if (chunkIds.length === 0) return new Map();
  const known = new Map<number, KnownText>();
  for (const id of chunkIds.slice(0, texts)) {
    const text = recallText(workspaceId, id);
    if (text !== null) known.set(id, text);
  }
  const versions = chunkIds.map((id) => known.get(id)?.version ?? null);
  const isRead = chunkIds.map((_, at) => at < texts);
  // One look into each index for every row: without statistics the planner would rather read the tables.
  const { rows } = await sql<Row>`
    select c.id as chunk_id, c.version, d.external_id, ${SEARCHED_TITLE} as searched_title, ${SHOWN_TITLE} as title,
      d.boost, d.doc_updated_at, d.chunk_count, c.is_html,
      ${includesHidden ? GONE : HIDDEN} is not true
        and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`d.id` })} as is_shown,
      case when is_read and version is distinct from known then c.text end as text,
      case when is_read and version is distinct from known then c.headings end as headings
    from unnest(${chunkIds}::bigint[], ${versions}::text[], ${isRead}::boolean[]) as wanted(id, known, is_read)
    cross join lateral (
      select id, document_id, xmin::text as version, text, headings, is_html
      from chunk where chunk.id = wanted.id limit 1) c
    cross join lateral (select * from document where document.id = c.document_id limit 1) d
    where d.workspace_id = ${workspaceId}`.execute(db);
  return new Map(rows.map((row) => [row.chunk_id, toCandidate(workspaceId, row, known)]));
}

function toCandidate(
  workspaceId: WorkspaceId,
  row: Row,
  known: ReadonlyMap<number, KnownText>,
): CandidateRow {
  return {
    externalId: row.external_id,
    searchedTitle: row.searched_title,
    title: row.title,
    boost: row.boost,
    updatedAt: row.doc_updated_at,
    chunkCount: row.chunk_count,
    isShown: row.is_shown,
    text: textOf(workspaceId, row, known.get(row.chunk_id) ?? null),
  };
}

function textOf(
  workspaceId: WorkspaceId,
  { chunk_id, version, text, headings, is_html }: Row,
  known: KnownText | null,
): KnownText | null {
  if (text === null || headings === null) return known;
  const read = new KnownText(workspaceId, { version, headings, text, is_html });
  keepText(workspaceId, chunk_id, read);
  return read;
}
