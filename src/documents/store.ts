import { sql } from 'kysely';
import type { CcPairId, DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { DOCUMENT_STATUSES, type DocumentStatus } from '#src/tables/documents.ts';
import {
  documentOfOthers,
  hasPrivatePairsOfOthers,
  isVisibleTo,
  mayChangeDocument,
  type Reader,
  type Writer,
  writerValues,
} from './document-access.ts';
import { SHOWN_TITLE } from './shown-columns.ts';

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

const RECORD = sql`d.id, d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source,
  d.sections -> 0 ->> 'link' as link, d.status, d.revision, d.indexed_revision, d.chunk_count,
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

export interface DocumentListing {
  reader: Reader;
  status: DocumentStatus | null;
  sources: readonly string[] | null;
  ccPairId: number | null;
  /** Only documents older than this one. */
  before: number | null;
  limit: number;
}

/** Lists documents that the reader may see, newest first. */
export async function listDocuments(
  db: Database,
  listing: DocumentListing,
): Promise<DocumentRecord[]> {
  const { workspaceId, userId } = listing.reader;
  const conditions = [sql`d.workspace_id = ${workspaceId}`];
  if (await hasPrivatePairsOfOthers(db, workspaceId, userId)) {
    conditions.push(isVisibleTo('d', userId));
  }
  if (listing.status) conditions.push(sql`d.status = ${listing.status}`);
  if (listing.sources) conditions.push(sql`d.source = any(${listing.sources}::text[])`);
  if (listing.before !== null) conditions.push(sql`d.id < ${listing.before}`);
  if (listing.ccPairId) {
    conditions.push(sql`exists (select 1 from document_cc_pair p
      where p.document_id = d.id and p.cc_pair_id = ${listing.ccPairId})`);
  }
  // The page first: a plan that sorts, such as that of a database without statistics, would read every text otherwise.
  const { rows } = await sql<DocumentRecord>`
    select ${RECORD} from (select d.id from document d where ${sql.join(conditions, sql` and `)}
      order by d.id desc limit ${listing.limit}) page
    join document d on d.id = page.id order by d.id desc`.execute(db);
  return rows;
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
    update document d set status = 'deleting', revision = revision + 1, claim_token = null,
      claimed_until = null, next_attempt_at = null, queued_at = now()
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
