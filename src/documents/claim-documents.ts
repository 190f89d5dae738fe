import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import type { ToDeliver } from '#src/webhooks/emit-event.ts';
import { announceDocuments } from './announce-documents.ts';
import { IMAGE_MARK } from './image-sections.ts';
import { SECTIONS } from './shown-columns.ts';
import { DUE, DUE_AT, type LaneCursor } from './waiting-lanes.ts';

/** A claim that was not renewed for this long belongs to a dead worker. */
const LEASE_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;
/**
 * Maximum size of one claim, in bytes of text: about a third of a second of work. It bounds how long new documents
 * wait, and the memory of a batch, whatever the sizes of its documents.
 */
export const SLICE_COST = 256_000;
/** The rows and statements of a document cost about as much as this many bytes of text. */
const DOCUMENT_COST = 1_000;
/** After this many unfinished attempts, the document itself may be killing its workers, so it is claimed alone. */
const ATTEMPTS_IN_BATCH = 2;
const MAX_ROWS = 256;
/** Maximum number of expired claims taken back at once. */
const MAX_LAPSED = 256;

export interface ClaimedDocument {
  id: DocumentId;
  workspace_id: WorkspaceId;
  source: string;
  semantic_identifier: string;
  title: string | null;
  /** JSON of `StoredSection[]`, or `null`: only a thread needs them, so that the main thread does not parse it. */
  sections_json: string;
  metadata: DocumentMetadata;
  revision: number;
  indexed_revision: number | null;
  attempts: number;
  /** In bytes of text. */
  cost: number;
  /** From due to taken. */
  waited_ms: number;
}

type ClaimedRow = Omit<ClaimedDocument, 'sections_json'> & { is_long: boolean };

export interface Claim extends AsyncDisposable {
  readonly token: string;
  readonly documents: ClaimedDocument[];
  /** The work may take far longer than a slice. */
  readonly isLong: boolean;
  /** By `performance.now()`. */
  readonly takenAtMs: number;
}

/**
 * Claims the documents that have waited longest, lane by lane, up to one slice. Two workers never hold the same
 * document; an edit clears the claim, so the worker's write finds its token gone.
 *
 * Three kinds of documents make a claim long: a document larger than a slice, one that earlier attempts did not
 * finish (each of these is claimed alone), and documents with images, which a model must describe (claimed together).
 *
 * Disposing stops renewing the lease; it does not end the claim.
 */
export async function claimDocuments(
  db: Database,
  lanes: readonly LaneCursor[],
  { mayBeLong }: { mayBeLong: boolean },
): Promise<Claim> {
  const token = randomUUID();
  const { documents, isLong } = await db
    .transaction()
    .execute((trx) => takeDocuments(trx, token, lanes, { mayBeLong }));
  if (documents.length === 0) return NO_CLAIM;
  const stopRenewing = keepRenewing(
    db,
    token,
    documents.map(({ id }) => id),
  );
  return {
    token,
    documents,
    isLong,
    takenAtMs: performance.now(),
    [Symbol.asyncDispose]: () => Promise.resolve(stopRenewing()),
  };
}

/** Locks the rows until the transaction ends. */
export async function takeDocuments(
  trx: DatabaseTransaction,
  token: string,
  lanes: readonly LaneCursor[],
  { mayBeLong }: { mayBeLong: boolean },
): Promise<Pick<Claim, 'documents' | 'isLong'>> {
  const rows = await takeRows(trx, token, lanes, mayBeLong);
  const ids = rows.map(({ id }) => id);
  const texts = await readTexts(trx, ids);
  return {
    documents: rows.map((row) => ({ ...row, sections_json: texts.get(row.id) ?? 'null' })),
    isLong: rows.some((row) => row.is_long),
  };
}

async function takeRows(
  trx: DatabaseTransaction,
  token: string,
  lanes: readonly LaneCursor[],
  mayBeLong: boolean,
): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with lane as (
      select * from unnest(${lanes.map((lane) => lane.workspace_id)}::uuid[],
        ${lanes.map((lane) => lane.source)}::text[]) with ordinality as l(workspace_id, source, n)
    ), waiting as (
      select lane.n, first.* from lane, lateral (
        select d.id, ${DUE_AT} as due_at, ${COST} + ${DOCUMENT_COST} as cost,
          d.attempts >= ${ATTEMPTS_IN_BATCH} or ${COST} > ${SLICE_COST} as is_alone
        from document d
        where d.workspace_id = lane.workspace_id and d.source = lane.source
          and d.status = 'accepted' and ${DUE} and (${mayBeLong}
            or d.attempts < ${ATTEMPTS_IN_BATCH} and ${COST} <= ${SLICE_COST})
        order by ${DUE_AT}, d.id limit ${Math.floor(MAX_ROWS / Math.max(1, lanes.length))}
        for update skip locked) first
    ), sized as (
      select id, cost, is_alone, row_number() over batch as place, sum(cost) over batch as cost_so_far
      from waiting window batch as (order by n, due_at, id)
    ), slice as materialized (
      select s.id, s.cost, s.place, s.is_alone,
        s.is_alone or ${SECTIONS}::text like ${`%${IMAGE_MARK}%`} as is_long
      from sized s join document d on d.id = s.id left join document_text t on t.document_id = s.id
      where s.place = 1 or s.cost_so_far <= ${SLICE_COST}
    ), chosen as (
      select id, cost, is_long, is_alone, place = min(place) over () as is_first,
        first_value(is_alone) over by_place as first_is_alone,
        first_value(is_long) over by_place as first_is_long
      from slice where ${mayBeLong} or not is_long window by_place as (order by place)
    )
    update document d set status = 'indexing', attempts = attempts + 1, claim_token = ${token},
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      indexing_started_at = now()
    from chosen where d.id = chosen.id and (chosen.is_first
      or not chosen.is_alone and not first_is_alone and chosen.is_long = first_is_long)
    returning d.id, d.workspace_id, d.source, d.semantic_identifier, d.title,
      d.metadata,
      d.revision, d.indexed_revision, d.attempts, chosen.cost, chosen.is_long,
      greatest(0, extract(epoch from now() - coalesce(d.next_attempt_at, d.accepted_at)) * 1000)::float8
        as waited_ms`.execute(trx);
  return rows;
}

/**
 * In a statement of its own: that which takes the rows may find them changed since it began, and would read the text of
 * before.
 */
async function readTexts(
  trx: DatabaseTransaction,
  ids: readonly DocumentId[],
): Promise<Map<DocumentId, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: DocumentId; json: string }>`
    select d.id, ${SECTIONS}::text as json
    from document d left join document_text t on t.document_id = d.id
    where d.id = any(${ids}::bigint[])`.execute(trx);
  return new Map(rows.map(({ id, json }) => [id, json]));
}

/** An empty claim; there is nothing to renew. */
export const NO_CLAIM: Claim = {
  token: '',
  documents: [],
  isLong: false,
  takenAtMs: 0,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Rows written by older releases have no `index_cost`. */
const COST = sql<number>`coalesce(d.index_cost, d.content_bytes)`;

const LAPSED = sql`and claimed_until < now() limit ${MAX_LAPSED}`;

/**
 * Returns documents whose worker died to waiting. Those that may have killed it go to the end of their lane.
 * @param whose claims that have lapsed, or all: right only for a process that has just started and is the only one
 */
export async function takeBackClaims(db: Database, whose: 'lapsed' | 'all'): Promise<DocumentId[]> {
  const { rows } = await sql<{ id: DocumentId }>`
    with lapsed as (
      select id from document where status = 'indexing' ${whose === 'all' ? sql`` : LAPSED}
      for update skip locked
    )
    update document d set status = 'accepted', claim_token = null, claimed_until = null,
      next_attempt_at = case when attempts >= ${ATTEMPTS_IN_BATCH} then now() end
    from lapsed where d.id = lapsed.id returning d.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Renews the lease until stopped, one renewal at a time, even if one is slow. */
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

/** Whether any of the documents is waiting for its turn. */
export async function someStillWait(db: Database, ids: readonly DocumentId[]): Promise<boolean> {
  return (await listWaiting(db, ids, 1)).length > 0;
}

/** The documents that are waiting for their turn, at most `limit`. */
export async function listWaiting(
  db: Database,
  ids: readonly DocumentId[],
  limit: number,
): Promise<DocumentId[]> {
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where id = any(${ids}::bigint[]) and status = 'accepted' and ${DUE}
    limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * A missed renewal is not an error: the lease outlasts several of them, and the write checks the claim anyway. A row
 * that is locked at this moment is being written under the claim.
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

/** Returns the unfinished documents of a claim; the attempt counts only if `countsAttempt`. */
export async function releaseClaim(
  db: Database,
  { token, documents }: Pick<Claim, 'token' | 'documents'>,
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
 * Marks a document that cannot be indexed as it is.
 * @returns the input of `sendDeliveries`
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
