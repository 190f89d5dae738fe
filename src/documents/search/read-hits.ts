import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { StoredOwner } from '#src/tables/documents.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { areShown, GONE, HIDDEN } from '#src/documents/shown-chunks.ts';
import { SHOWN_OWNERS } from '#src/documents/shown-columns.ts';
import { highlighter } from './highlight.ts';
import type { RankedChunk } from './rerank-candidates.ts';
import type { SearchHit } from './search-hit.ts';
import { FOUND_COLUMNS, type FoundRow, toSearchDoc } from './to-search-doc.ts';

/** Longest owner name shown in a hit, in characters. */
const MAX_OWNER_NAME = 200;

interface HitRow extends FoundRow {
  chunk_id: number;
  primary_owners: StoredOwner[];
  secondary_owners: StoredOwner[];
  ordinal: number;
  section_index: number;
  start_offset: number;
  end_offset: number;
  text: string;
  is_html: boolean;
  headings: string[];
  link: string | null;
}

/** Returns the ranked chunks as hits, in order, without those that were deleted or hidden in the meantime. */
export async function readHits<Chunk extends RankedChunk>(
  db: Database,
  workspaceId: WorkspaceId,
  best: readonly Chunk[],
  words: readonly string[],
  includesHidden: boolean,
): Promise<{ hit: SearchHit; chunk: Chunk }[]> {
  if (best.length === 0) return [];
  const ids = best.map(({ chunkId }) => chunkId);
  // Chunks first: without statistics (the embedded size has no autovacuum) the planner would start from all documents.
  const { rows } = await sql<HitRow>`
    with c as materialized (select * from chunk where id = any(${ids}::bigint[]))
    select c.id as chunk_id, ${FOUND_COLUMNS}, ${SHOWN_OWNERS.primary} as primary_owners,
      ${SHOWN_OWNERS.secondary} as secondary_owners, c.ordinal, c.section_index,
      c.start_offset, c.end_offset, c.text, c.is_html, c.headings, c.link
    from c join document d on d.id = c.document_id
    where d.workspace_id = ${workspaceId} and ${includesHidden ? GONE : HIDDEN} is not true
      and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`d.id` })}`.execute(db);
  const highlightsOf = words.length === 0 ? () => [] : highlighter(words);
  const byId = new Map(rows.map((row) => [row.chunk_id, row]));
  return best.flatMap((chunk) => {
    const row = byId.get(chunk.chunkId);
    return row ? { hit: toHit(row, chunk.score, highlightsOf), chunk } : [];
  });
}

function toHit(row: HitRow, score: number, highlightsOf: (text: string) => string[]): SearchHit {
  const shown = row.is_html ? visibleText(row.text) : row.text;
  return {
    ...toSearchDoc(row, { ordinal: row.ordinal, text: shown, link: row.link }),
    score,
    match_highlights: highlightsOf(shown),
    primary_owners: displayNames(row.primary_owners),
    secondary_owners: displayNames(row.secondary_owners),
    text: row.text,
    is_html: row.is_html,
    section_index: row.section_index,
    start_offset: row.start_offset,
    end_offset: row.end_offset,
    headings: row.headings,
  };
}

function displayNames(owners: StoredOwner[]): string[] | null {
  const shown = owners.flatMap((owner) => {
    const parts = [owner.first_name, owner.middle_initial, owner.last_name].filter(Boolean);
    const name = owner.display_name || parts.join(' ') || owner.email || '';
    return name === '' ? [] : name.slice(0, MAX_OWNER_NAME).toWellFormed();
  });
  return shown.length > 0 ? shown : null;
}
