import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Producer } from '#queues/producer.ts';
import { documentIndex, MAX_DOCUMENTS_PER_JOB } from '#queues/document-index.ts';
import type { DocumentId } from '#src/ids.ts';
import { Batcher } from '#src/platform/batcher.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { DocumentStatus } from '#src/tables.ts';
import type { IncomingDocument } from './incoming-document.ts';
import type { PendingLimit } from './pending-limit.ts';

/** One flush: as many ids as one job carries, and a statement that stays below a few tens of MB. */
const FLUSH_LIMITS = { items: 256, size: 16_000_000 };
const MAX_PASSES = 5;

export interface AcceptedDocument {
  documentId: string;
  /** True when a document with this id was there before. */
  alreadyExisted: boolean;
  /** False when the content is what is indexed, or waiting to be, already. */
  changed: boolean;
  status: DocumentStatus;
}

interface AcceptedRow {
  n: number;
  id: DocumentId;
  status: DocumentStatus;
  already_existed: boolean;
  /** False when the content is what is indexed, or waiting to be, already. */
  changed: boolean;
}

/** Not written: it needs its pair, and that is gone or going. */
interface RefusedRow {
  n: number;
  id: null;
}

export interface DocumentAcceptor {
  /**
   * Resolves once the row is committed. Concurrent callers share one statement and one job.
   * @throws Problem RATE_LIMIT_EXCEEDED when the workspace's backlog leaves no room for more, or LeaseLost when the
   *   document needs its pair and that is being deleted
   */
  accept(document: IncomingDocument): Promise<AcceptedDocument>;
  /** Sends rows that were changed another way to the index workers; never rejects. */
  enqueue(documentIds: DocumentId[], requestId: string | null): Promise<void>;
  /** Resolves when everything submitted has been settled. */
  idle(): Promise<void>;
}

/**
 * Rows first, then the job: a job that is lost on the way is sent again by `reconcile`, so a queue
 * that is down delays indexing but refuses nobody.
 */
export function createDocumentAcceptor(
  db: Database,
  producer: Producer,
  limit: PendingLimit,
  log: Logger,
): DocumentAcceptor {
  const batcher = new Batcher(
    (documents: IncomingDocument[]) => flush(db, producer, log, documents),
    FLUSH_LIMITS,
    (document) => document.contentBytes,
  );
  return {
    async accept(document) {
      await limit.takeRoom(document.workspaceId);
      return batcher.submit(document);
    },
    enqueue: (documentIds, requestId) => enqueueIndexing(producer, log, documentIds, requestId),
    idle: () => batcher.idle(),
  };
}

async function flush(
  db: Database,
  producer: Producer,
  log: Logger,
  documents: IncomingDocument[],
): Promise<PromiseSettledResult<AcceptedDocument>[]> {
  const results: PromiseSettledResult<AcceptedDocument>[] = [];
  const changed: DocumentId[] = [];
  for (const wave of wavesOf(documents)) {
    const settled = await upsertWave(db, documents, wave);
    settled.forEach((result, index) => {
      const position = wave[index] ?? 0;
      if (result.status === 'rejected') results[position] = result;
      else {
        if (result.value.changed) changed.push(result.value.id);
        results[position] = {
          status: 'fulfilled',
          value: toAccepted(documents[position], result.value),
        };
      }
    });
  }
  await enqueueIndexing(producer, log, changed, documents[0]?.requestId ?? null);
  return results;
}

/** One statement cannot write a row twice: repeated ids go to later waves, in their order. */
function wavesOf(documents: IncomingDocument[]): number[][] {
  const seen = new Map<string, number>();
  const waves: number[][] = [];
  documents.forEach((document, position) => {
    const key = `${document.workspaceId} ${document.externalId}`;
    const wave = seen.get(key) ?? 0;
    seen.set(key, wave + 1);
    (waves[wave] ??= []).push(position);
  });
  return waves;
}

async function upsertWave(
  db: Database,
  documents: IncomingDocument[],
  wave: number[],
): Promise<PromiseSettledResult<AcceptedRow>[]> {
  const chosen = wave.flatMap((position) => documents[position] ?? []);
  try {
    const rows = await upsertAll(db, chosen);
    return rows.map(settledRow);
  } catch (error) {
    // A value that Postgres refuses must not fail its neighbours, nor a deadlock the whole flush:
    // written one by one, each has its own fate.
    if (chosen.length === 1 || !isOfOneRow(error)) {
      return chosen.map(() => ({ status: 'rejected', reason: error }));
    }
    const alone = await Promise.allSettled(
      chosen.map(async (document) => firstOf(await upsertAll(db, [document]))),
    );
    return alone.map((one) => (one.status === 'fulfilled' ? settledRow(one.value) : one));
  }
}

function settledRow(row: AcceptedRow | RefusedRow): PromiseSettledResult<AcceptedRow> {
  return row.id === null
    ? { status: 'rejected', reason: new LeaseLost('The pair of the document is being deleted.') }
    : { status: 'fulfilled', value: row };
}

/**
 * Writes again what a concurrent writer hid: a row committed after the statement's snapshot, with
 * the same content, is neither written by the statement nor seen by it.
 */
async function upsertAll(
  db: Database,
  documents: IncomingDocument[],
): Promise<(AcceptedRow | RefusedRow)[]> {
  const rows: (AcceptedRow | RefusedRow)[] = [];
  let missing = documents.map((document, position) => ({ document, position }));
  for (let pass = 0; pass < MAX_PASSES && missing.length > 0; pass += 1) {
    const attempted = missing;
    for (const row of await upsert(
      db,
      attempted.map(({ document }) => document),
    )) {
      const position = attempted[row.n]?.position;
      if (position !== undefined) rows[position] = row;
    }
    missing = attempted.filter(({ position }) => rows[position] === undefined);
  }
  if (missing.length > 0) {
    throw new Problem(
      'SERVICE_UNAVAILABLE',
      'The document is being written by others; send it again.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  return rows;
}

async function enqueueIndexing(
  producer: Producer,
  log: Logger,
  documentIds: DocumentId[],
  requestId: string | null,
): Promise<void> {
  try {
    for (let start = 0; start < documentIds.length; start += MAX_DOCUMENTS_PER_JOB) {
      const some = documentIds.slice(start, start + MAX_DOCUMENTS_PER_JOB);
      await producer.enqueue(documentIndex, { documentIds: some }, { requestId });
    }
  } catch (error) {
    log.warn(
      { error: String(error), documents: documentIds.length },
      'rows committed, job not sent: reconcile will send it',
    );
  }
}

/** Of the JSON that `upsert` is given. */
const INPUT_COLUMNS =
  sql.raw(`n int, "workspaceId" uuid, "ccPairId" int, "needsPair" boolean, "requestId" text, "externalId" text,
  "semanticIdentifier" text, title text, source text, sections json, metadata json, "shownMetadata" json, tags json,
  "docUpdatedAt" timestamptz, "primaryOwners" json, "secondaryOwners" json,
  "contentHash" text, "contentBytes" int`);

async function upsert(
  db: Database,
  documents: IncomingDocument[],
): Promise<(AcceptedRow | RefusedRow)[]> {
  const input = JSON.stringify(documents.map((document, n) => ({ n, ...document })));
  const { rows } = await sql<AcceptedRow | RefusedRow>`
    with input as materialized (
      select *, not coalesce("needsPair", false) or exists (select 1 from cc_pair p
          where p.id = "ccPairId" and p.workspace_id = "workspaceId" and p.status <> 'DELETING')
        as welcome
      from json_to_recordset(${input}::json) as x(${INPUT_COLUMNS})
    ), written as (
      insert into document as d (workspace_id, external_id, semantic_identifier, title, source,
        sections, metadata, shown_metadata, tags, doc_updated_at, primary_owners, secondary_owners,
        content_hash, content_bytes, status, request_id)
      select "workspaceId", "externalId", "semanticIdentifier", title, source, sections, metadata,
        "shownMetadata", array(select json_array_elements_text(tags)), coalesce("docUpdatedAt", now()),
        "primaryOwners", "secondaryOwners", decode("contentHash", 'hex'), "contentBytes",
        'accepted', "requestId"
      from input where welcome order by "workspaceId", "externalId"
      on conflict (workspace_id, external_id) do update set
        semantic_identifier = excluded.semantic_identifier, title = excluded.title,
        source = excluded.source, sections = excluded.sections, metadata = excluded.metadata,
        shown_metadata = excluded.shown_metadata, tags = excluded.tags, doc_updated_at = excluded.doc_updated_at,
        primary_owners = excluded.primary_owners, secondary_owners = excluded.secondary_owners,
        content_hash = excluded.content_hash, content_bytes = excluded.content_bytes,
        request_id = excluded.request_id, revision = d.revision + 1, status = 'accepted',
        attempts = 0, next_attempt_at = null, claim_token = null, claimed_until = null,
        error = null, accepted_at = now(), queued_at = now(), indexing_started_at = null,
        created_at = case when d.status = 'deleting' then now() else d.created_at end,
        chunk_count = case when d.status = 'deleting' then 0 else d.chunk_count end
      where d.content_hash <> excluded.content_hash or d.status in ('failed', 'deleting')
      returning id, workspace_id, external_id, status, created_at <> now() as already_existed
    ), known as (
      select n, coalesce(w.id, d.id) as id, coalesce(w.status, d.status) as status,
        coalesce(w.already_existed, true) as already_existed, w.id is not null as changed,
        "workspaceId", "ccPairId"
      from input
      left join written w on w.workspace_id = "workspaceId" and w.external_id = "externalId"
      left join document d on d.workspace_id = "workspaceId" and d.external_id = "externalId"
      where welcome
    ), chosen as (
      select k.id, k.already_existed, coalesce(named.id, fallback.id) as pair
      from known k
      join cc_pair fallback on fallback.workspace_id = k."workspaceId" and fallback.is_default
      left join cc_pair named on named.id = k."ccPairId" and named.workspace_id = k."workspaceId"
        and named.status <> 'DELETING'
      where k.id is not null
    ), detached as (
      delete from document_cc_pair p using chosen c
      where p.document_id = c.id and not c.already_existed and p.cc_pair_id <> c.pair
    ), attached as (
      insert into document_cc_pair (document_id, cc_pair_id) select id, pair from chosen
      on conflict do nothing
    )
    select n, id, status, already_existed, changed from known where id is not null
    union all select n, null, null, null, null from input where not welcome`.execute(db);
  return rows;
}

function toAccepted(document: IncomingDocument | undefined, row: AcceptedRow): AcceptedDocument {
  return {
    documentId: document?.externalId ?? '',
    alreadyExisted: row.already_existed,
    changed: row.changed,
    status: row.status,
  };
}

function firstOf<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('upsertAll returned no row for one document.');
  return row;
}

/** SQLSTATE classes 22, data exception, 54, program limit exceeded, 23503, its pair was deleted meanwhile, and 40P01, deadlock detected: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function isOfOneRow(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(22|54|23503|40P01)/.test(String(error.code))
  );
}
