import { sql } from 'kysely';
import type { CcPairId, DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { DOCUMENT_STATUSES, type DocumentStatus } from '#src/tables/documents.ts';
import { AS_DELETING } from './drop-documents.ts';
import {
  documentOfOthers,
  isVisibleTo,
  mayChangeDocument,
  type Reader,
  type Writer,
  writerValues,
} from './document-access.ts';
import { LINK, SHOWN_TITLE } from './shown-columns.ts';

/** A document as its owner sees it, without its content. */
export interface DocumentRecord {
  id: DocumentId;
  external_id: string;
  semantic_identifier: string;
  source: string;
  link: string | null;
  status: DocumentStatus;
  revision: number;
  indexed_revision: number | null;
  chunk_count: number;
  attempts: number;
  boost: number;
  hidden: boolean;
  error: string | null;
  next_attempt_at: Date | null;
  cc_pair_ids: CcPairId[];
  created_at: Date;
  accepted_at: Date;
  indexing_started_at: Date | null;
  indexed_at: Date | null;
}

/** The columns of a `DocumentRecord` of `document d`. */
export const RECORD = sql`d.id, d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source,
  ${LINK} as link, d.status, d.revision, d.indexed_revision, d.chunk_count,
  d.attempts, d.boost, d.hidden, d.error, d.next_attempt_at, d.created_at, d.accepted_at, d.indexing_started_at,
  d.indexed_at, array(select cc_pair_id from document_cc_pair where document_id = d.id
    order by cc_pair_id) as cc_pair_ids`;

/** Null if there is none that the reader may see. */
export async function findDocument(
  db: Database,
  { workspaceId, userId }: Reader,
  externalId: string,
): Promise<DocumentRecord | null> {
  const { rows } = await sql<DocumentRecord>`
    select ${RECORD} from document d
    where d.workspace_id = ${workspaceId} and d.external_id = ${externalId}
      and ${isVisibleTo('d', userId)}`.execute(db);
  return rows[0] ?? null;
}

/**
 * Removes a document from search at once; a job deletes its rows later.
 * @returns its row id, or null if there is none that the writer can see
 * @throws Problem UNAUTHORIZED when the writer can see it but may not change it
 */
export async function markDeleting(
  db: Database,
  { workspaceId, ...writer }: Reader & Writer,
  externalId: string,
): Promise<DocumentId | null> {
  const { rows } = await sql<{ id: DocumentId }>`
    update document d set ${AS_DELETING}
    where workspace_id = ${workspaceId} and external_id = ${externalId} and status <> 'deleting'
      and ${mayChangeDocument('d', writerValues(writer))}
    returning id`.execute(db);
  if (rows[0]) return rows[0].id;
  const found = await findDocument(db, { workspaceId, userId: writer.userId }, externalId);
  if (found && found.status !== 'deleting') throw documentOfOthers(externalId);
  return null;
}

export interface IngestionStats {
  counts: Record<DocumentStatus, number>;
  /** Over the last minute. */
  documentsPerSecond: number;
  /** Age of the oldest document that is waiting or being indexed; null if there is none. */
  oldestPendingSeconds: number | null;
  /** Null if documents are waiting but none was indexed in the last minute. */
  estimatedSecondsToDrain: number | null;
}

export async function ingestionStats(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<IngestionStats> {
  const counts = await countByStatus(db, workspaceId);
  const { rows } = await sql<{ indexed: number; age: number | null }>`
    select (select count(*)::int from document where workspace_id = ${workspaceId}
        and indexed_at > now() - interval '1 minute') as indexed,
      (select extract(epoch from now() - min(accepted_at))::float8 from document
        where workspace_id = ${workspaceId} and status in ('accepted', 'indexing')) as age`.execute(
    db,
  );
  const documentsPerSecond = (rows[0]?.indexed ?? 0) / 60;
  const pending = counts.accepted + counts.indexing;
  return {
    counts,
    documentsPerSecond,
    oldestPendingSeconds: rows[0]?.age ?? null,
    estimatedSecondsToDrain: secondsToDrain(pending, documentsPerSecond),
  };
}

/** Documents that became searchable in each of the last 60 minutes, oldest first. */
export async function indexedByMinute(db: Database, workspaceId: WorkspaceId): Promise<number[]> {
  const { rows } = await sql<{ documents: number }>`
    select count(d.indexed_at)::int as documents
    from generate_series(59, 0, -1) as m(minutes)
    left join document d on d.workspace_id = ${workspaceId}
      and d.indexed_at > now() - make_interval(mins => m.minutes + 1)
      and d.indexed_at <= now() - make_interval(mins => m.minutes)
    group by m.minutes order by m.minutes desc`.execute(db);
  return rows.map(({ documents }) => documents);
}

function secondsToDrain(pending: number, perSecond: number): number | null {
  if (pending === 0) return 0;
  return perSecond === 0 ? null : Math.ceil(pending / perSecond);
}

/** Number of documents by status, of one workspace or of all. */
export async function countByStatus(
  db: Database,
  workspaceId: WorkspaceId | null,
): Promise<Record<DocumentStatus, number>> {
  const scope = workspaceId ? sql`where workspace_id = ${workspaceId}` : sql``;
  const { rows } = await sql<{ status: DocumentStatus; documents: number }>`
    select status, count(*)::int as documents from document ${scope} group by status`.execute(db);
  const byStatus = new Map(rows.map((row) => [row.status, row.documents]));
  const entries = DOCUMENT_STATUSES.map((status) => [status, byStatus.get(status) ?? 0]);
  // The keys are exactly the statuses, which `fromEntries` cannot express.
  return Object.fromEntries(entries) as Record<DocumentStatus, number>;
}
