import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { areShown, GONE, HIDDEN } from '#src/documents/shown-chunks.ts';
import { SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import type { Database } from '#src/platform/database.ts';
import type { RecencyBias } from '#src/tables/documents.ts';
import { findCopies } from './find-copies.ts';
import type { RankedChunk } from './rerank-candidates.ts';
import { boostFactor, recencyFactor } from './score-factors.ts';

/** Documents that can be paged through, and that facets count. */
export const MAX_ARRANGED = 200;
/** Passages that are read and compared, to find copies. What ranks below them stays as it is. */
const MAX_COMPARED = 100;
/** Ids of near-copies that a hit names; their count is that of all. */
const MAX_NAMED = 10;

/** A document of the final order. */
export interface ArrangedDocument extends RankedChunk {
  /** The score before age and boost. */
  relevance: number;
  /** What the score was multiplied by. */
  recency: number;
  boost: number;
  /** Less than 1 where a boost lifts a score above it. */
  scale: number;
  /** Near-copies that this one stands for. */
  copies: { count: number; documentIds: string[]; chunkIds: number[]; scores: number[] };
}

export interface Arrangement {
  workspaceId: WorkspaceId;
  recencyBias: Exclude<RecencyBias, 'auto'>;
  now: Date;
  collapses: boolean;
  includesHidden: boolean;
}

interface DocumentRow {
  chunk_id: number;
  external_id: string;
  title: string;
  boost: number;
  doc_updated_at: Date | null;
  chunk_count: number;
  /** Null when it is not compared. */
  text: string | null;
  is_html: boolean;
}

/**
 * Turns the ranking into the final order: by score, age and boost, and near-copies behind their best. It depends on
 * neither `limit` nor `offset`, so pages fit together.
 */
export async function arrangeDocuments(
  db: Database,
  ranked: readonly RankedChunk[],
  arrangement: Arrangement,
): Promise<ArrangedDocument[]> {
  const first = ranked.slice(0, MAX_ARRANGED);
  if (first.length === 0) return [];
  const rows = await readDocuments(db, first, arrangement);
  const found = first.flatMap((chunk) => {
    const row = rows.get(chunk.chunkId);
    if (!row) return [];
    const recency = recencyFactor(row.doc_updated_at, arrangement.now, arrangement.recencyBias);
    const boost = boostFactor(row.boost);
    const { score: relevance } = chunk;
    return { ...chunk, row, relevance, recency, boost, score: relevance * recency * boost };
  });
  found.sort(
    (a, b) =>
      b.score - a.score ||
      (b.row.doc_updated_at?.getTime() ?? 0) - (a.row.doc_updated_at?.getTime() ?? 0) ||
      a.chunkId - b.chunkId,
  );
  // Boosts lift scores above 1.
  const scale = 1 / Math.max(1, found[0]?.score ?? 1);
  const originals = arrangement.collapses
    ? findCopies(found.map(({ row }) => passageOf(row)))
    : found.map((_, place) => place);
  const copies = Map.groupBy(found.keys(), (place) => originals[place] ?? place);
  return found.flatMap(({ row: _row, ...one }, place) => {
    if (originals[place] !== place) return [];
    const others = (copies.get(place) ?? []).filter((other) => other !== place);
    const named = others.flatMap((other) => found[other] ?? []).slice(0, MAX_NAMED);
    return {
      ...one,
      score: one.score * scale,
      scale,
      copies: {
        count: others.length,
        documentIds: named.map((copy) => copy.row.external_id),
        chunkIds: named.map(({ chunkId }) => chunkId),
        scores: named.map(({ score }) => score * scale),
      },
    };
  });
}

async function readDocuments(
  db: Database,
  chunks: readonly RankedChunk[],
  { workspaceId, includesHidden, collapses }: Arrangement,
): Promise<Map<number, DocumentRow>> {
  const ids = chunks.map(({ chunkId }) => chunkId);
  const compared = collapses ? ids.slice(0, MAX_COMPARED) : [];
  const { rows } = await sql<DocumentRow>`
    with c as materialized (
      select id, document_id, case when id = any(${compared}::bigint[]) then text end as text, is_html
      from chunk where id = any(${ids}::bigint[]))
    select c.id as chunk_id, d.external_id, ${SHOWN_TITLE} as title, d.boost, d.doc_updated_at,
      d.chunk_count, c.text, c.is_html
    from c join document d on d.id = c.document_id
    where d.workspace_id = ${workspaceId} and ${includesHidden ? GONE : HIDDEN} is not true
      and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`d.id` })}`.execute(db);
  return new Map(rows.map((row) => [row.chunk_id, row]));
}

function passageOf({ title, text, is_html, chunk_count }: DocumentRow) {
  // Passages without text are never copies.
  const shown = text === null ? '' : is_html ? visibleText(text) : text;
  return { title, text: shown, chunkCount: chunk_count };
}
