import type { Logger } from 'pino';
import type { Producer } from '#queues/producer.ts';
import { documentIndex, MAX_DOCUMENTS_PER_JOB } from '#queues/document-index.ts';
import type { DocumentId } from '#src/ids.ts';
import { Batcher } from '#src/platform/batcher.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import { NO_TRACING, type TraceOrigin, type Tracing } from '#src/platform/tracing.ts';
import type { DocumentStatus } from '#src/tables/documents.ts';
import { documentOfOthers } from './document-access.ts';
import { type IncomingDocument, type PackedDocument, packDocument } from './incoming-document.ts';
import type { PendingLimit } from './pending-limit.ts';
import {
  type AcceptedRow,
  type RefusedRow,
  type Refusal,
  upsertDocuments,
} from './upsert-documents.ts';

/** Maximum documents per flush: as many as one job carries. */
const FLUSH_DOCUMENTS = 256;

/**
 * Maximum bytes of JSON per flush; a larger document is flushed alone. A server handles a few tens of MB at once. The
 * embedded database has a single session, so one statement blocks all others until it finishes.
 */
export const FLUSH_BYTES = { embedded: 1_000_000, server: 16_000_000 };

export interface AcceptedDocument {
  documentId: string;
  /** True when a document with this id already existed. */
  alreadyExisted: boolean;
  /** False when the same content is already indexed or waiting to be indexed. */
  changed: boolean;
  status: DocumentStatus;
}

export interface DocumentAcceptor {
  /**
   * Resolves once the row is committed. Concurrent callers share one statement and one job.
   * @throws Problem RATE_LIMIT_EXCEEDED when the workspace's backlog is full; UNAUTHORIZED when the writer may not
   *   change the pair or the document; or LeaseLost when the document needs its pair and that pair is being deleted
   */
  accept(document: IncomingDocument): Promise<AcceptedDocument>;
  /** Like `accept`, for a document that was read from a request. */
  acceptPacked(document: PackedDocument): Promise<AcceptedDocument>;
  /** Enqueues index jobs for rows that were changed in another way; never rejects. */
  enqueue(documentIds: DocumentId[], requestId: string | null): Promise<void>;
  /** Resolves when everything submitted has settled. */
  idle(): Promise<void>;
}

/**
 * Writes the rows first, then enqueues the job: `reconcile` resends a lost job, so a queue outage delays indexing but
 * rejects no document.
 */
export function createDocumentAcceptor(
  db: Database,
  producer: Producer,
  limit: PendingLimit,
  log: Logger,
  flushBytes: number = FLUSH_BYTES.server,
  tracing: Tracing = NO_TRACING,
): DocumentAcceptor {
  const batcher = new Batcher(
    (submitted: Submitted[]) =>
      tracing.step('flush documents', flushOf(submitted), () =>
        flush(
          db,
          producer,
          log,
          submitted.map(({ document }) => document),
        ),
      ),
    { items: FLUSH_DOCUMENTS, size: flushBytes },
    ({ document }) => document.json.byteLength,
    { keyOf: ({ document }) => document.workspaceId },
  );
  const acceptPacked = async (document: PackedDocument): Promise<AcceptedDocument> => {
    await limit.reserveRoom(document.workspaceId);
    return batcher.submit({ document, origin: tracing.origin() });
  };
  return {
    accept: (document) => acceptPacked(packDocument(document)),
    acceptPacked,
    enqueue: (documentIds, requestId) => enqueueIndexing(producer, log, documentIds, requestId),
    idle: () => batcher.idle(),
  };
}

interface Submitted {
  document: PackedDocument;
  /** The request it came with. */
  origin: TraceOrigin;
}

/** A flush serves many requests: it continues the first that is traced, and is linked to the others. */
function flushOf(submitted: readonly Submitted[]) {
  return {
    kind: 'internal' as const,
    attributes: { 'millrace.documents': submitted.length },
    origins: submitted.map(({ origin }) => origin),
  };
}

async function flush(
  db: Database,
  producer: Producer,
  log: Logger,
  documents: PackedDocument[],
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

/** One statement cannot write a row twice, so repeated ids go to later waves, in order. */
function wavesOf(documents: PackedDocument[]): number[][] {
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
  documents: PackedDocument[],
  wave: number[],
): Promise<PromiseSettledResult<AcceptedRow>[]> {
  const chosen = wave.flatMap((position) => documents[position] ?? []);
  try {
    const rows = await upsertDocuments(db, chosen);
    return rows.map((row, index) => settledRow(row, chosen[index]));
  } catch (error) {
    // A value that Postgres rejects must not fail its neighbours, nor may a deadlock fail the whole flush: write the
    // documents one by one, so that each succeeds or fails alone.
    if (chosen.length === 1 || !isOfOneRow(error)) {
      return chosen.map(() => ({ status: 'rejected', reason: error }));
    }
    const alone = await Promise.allSettled(
      chosen.map(async (document) => firstOf(await upsertDocuments(db, [document]))),
    );
    return alone.map((one, index) =>
      one.status === 'fulfilled' ? settledRow(one.value, chosen[index]) : one,
    );
  }
}

function settledRow(
  row: AcceptedRow | RefusedRow,
  document: PackedDocument | undefined,
): PromiseSettledResult<AcceptedRow> {
  return row.id === null
    ? { status: 'rejected', reason: refusalOf(row.refusal, document) }
    : { status: 'fulfilled', value: row };
}

function refusalOf(refusal: Refusal, document: PackedDocument | undefined): Error {
  switch (refusal) {
    case 'pair gone':
      return new LeaseLost('The pair of the document is being deleted.');
    case 'pair of others':
      return new Problem(
        'UNAUTHORIZED',
        `cc_pair_id ${document?.ccPairId} belongs to another user, and this key may not add to it. Name a pair of your own, or leave cc_pair_id out.`,
      );
    case 'document of others':
      return documentOfOthers(document?.externalId ?? '');
  }
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

function toAccepted(document: PackedDocument | undefined, row: AcceptedRow): AcceptedDocument {
  return {
    documentId: document?.externalId ?? '',
    alreadyExisted: row.already_existed,
    changed: row.changed,
    status: row.status,
  };
}

function firstOf<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('upsertDocuments returned no row for one document.');
  return row;
}

/**
 * SQLSTATE class 22 (data exception), class 54 (program limit exceeded), 23503 (the pair was deleted meanwhile) and
 * 40P01 (deadlock detected): https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
function isOfOneRow(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(22|54|23503|40P01)/.test(String(error.code))
  );
}
