import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentMetadata, StoredSection } from '#src/tables.ts';
import type { ToDeliver } from '#src/webhooks/emit-event.ts';
import { announceDocuments } from './announce-documents.ts';

/** A claim that is not renewed for this long is taken for that of a dead worker. */
const LEASE_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;
/** Text claimed at once: bounds the memory of one batch whatever the sizes of its documents. */
const BATCH_BYTES = 4_000_000;
/** After so many attempts that came to nothing a document may be what kills its workers: it is claimed alone. */
const ATTEMPTS_IN_COMPANY = 2;

/** The delayed job of a postponed document may come a moment early. */
const CLAIMABLE = sql`(status = 'accepted'
    and (next_attempt_at is null or next_attempt_at <= now() + interval '1 second')
  or status = 'indexing' and claimed_until < now())`;

export interface ClaimedDocument {
  id: DocumentId;
  workspace_id: WorkspaceId;
  semantic_identifier: string;
  title: string | null;
  sections: StoredSection[];
  metadata: DocumentMetadata;
  revision: number;
  indexed_revision: number | null;
  attempts: number;
}

export interface Claim extends AsyncDisposable {
  readonly token: string;
  readonly documents: ClaimedDocument[];
}

/**
 * Takes documents that wait (or whose worker died), as many as fit a batch; those that were tried
 * in vain before come last and one by one. Two workers never hold the same document; an edit clears
 * the claim, so the claimant's write finds its token gone.
 * Disposing ends the renewal of the lease, not the claim.
 */
export async function claimDocuments(db: Database, ids: readonly DocumentId[]): Promise<Claim> {
  const token = randomUUID();
  const { rows } = await sql<ClaimedDocument>`
    with waiting as (
      select id, content_bytes, attempts >= ${ATTEMPTS_IN_COMPANY} as suspect from document
      where id = any(${ids}::bigint[]) and ${CLAIMABLE}
      order by id for update skip locked
    ), sized as (
      select id, suspect, row_number() over batch as place,
        sum(content_bytes) over batch - content_bytes as bytes_before
      from waiting window batch as (order by suspect, id)
    )
    update document d set status = 'indexing', attempts = attempts + 1, claim_token = ${token},
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      indexing_started_at = now()
    from sized where d.id = sized.id
      and case when suspect then place = 1 else bytes_before < ${BATCH_BYTES} end
    returning d.id, d.workspace_id, d.semantic_identifier, d.title, d.sections, d.metadata,
      d.revision, d.indexed_revision, d.attempts`.execute(db);
  const stopRenewing = keepRenewing(
    db,
    token,
    rows.map(({ id }) => id),
  );
  return {
    token,
    documents: rows,
    [Symbol.asyncDispose]: () => Promise.resolve(stopRenewing()),
  };
}

/** Renews the lease until it is told to stop; one renewal at a time, however long it waits. */
function keepRenewing(db: Database, token: string, ids: DocumentId[]): () => void {
  let pending: Promise<void> | null = null;
  const timer = setInterval(() => {
    pending ??= renew(db, token, ids).finally(() => {
      pending = null;
    });
  }, RENEW_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * True when some of the documents still wait although a claim found none: another statement held
 * their rows for a moment, as a repeated post does.
 */
export async function someStillWait(db: Database, ids: readonly DocumentId[]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from document where id = any(${ids}::bigint[]) and ${CLAIMABLE} limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * A missed renewal is not an error: the lease outlives several, and the write checks the claim
 * anyway. Rows that are locked just now belong to the write itself.
 */
async function renew(db: Database, token: string, ids: DocumentId[]): Promise<void> {
  await sql`
    with held as (
      select id from document where id = any(${ids}::bigint[]) and claim_token = ${token}
      for update skip locked
    )
    update document d set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from held where d.id = held.id`
    .execute(db)
    .catch(() => undefined);
}

/** Hands what is left of a claim back; the attempt counts only if `countsAttempt`. */
export async function releaseClaim(
  db: Database,
  { token, documents }: Claim,
  options: { delayMs: number; reason: string | null; countsAttempt: boolean },
): Promise<void> {
  const returned = options.countsAttempt ? 0 : 1;
  await sql`
    with held as (
      select id from document where id = any(${documents.map(({ id }) => id)}::bigint[])
        and claim_token = ${token} and status = 'indexing'
      order by workspace_id, external_id for update
    )
    update document d set status = 'accepted', attempts = greatest(attempts - ${returned}, 0),
      claim_token = null, claimed_until = null, queued_at = now(), error = ${options.reason},
      next_attempt_at = case when ${options.delayMs}::int > 0
        then now() + make_interval(secs => ${options.delayMs / 1000}::float8) end
    from held where d.id = held.id`.execute(db);
}

/**
 * The document as it stands can never be indexed.
 * @returns for `sendDeliveries`: who is told of it
 */
export async function failDocument(
  db: Database,
  token: string,
  id: DocumentId,
  reason: string,
): Promise<ToDeliver> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId; workspace_id: WorkspaceId }>`
      update document set status = 'failed', error = ${reason}, claim_token = null,
        claimed_until = null, next_attempt_at = null
      where id = ${id} and claim_token = ${token}
      returning id, workspace_id`.execute(trx);
    return announceDocuments(trx, 'document.failed', rows);
  });
}

/** The attempt counts; the document is tried again after `delayMs`. */
export async function postponeDocument(
  db: Database,
  token: string,
  id: DocumentId,
  delayMs: number,
  reason: string,
): Promise<void> {
  await sql`update document set status = 'accepted', error = ${reason}, claim_token = null,
      claimed_until = null, queued_at = now(),
      next_attempt_at = now() + make_interval(secs => ${delayMs / 1000}::float8)
    where id = ${id} and claim_token = ${token}`.execute(db);
}
