import { setTimeout as wait } from 'node:timers/promises';
import { documentIndex, MAX_DOCUMENTS_PER_JOB } from '#queues/document-index.ts';
import type { DocumentId } from '#src/ids.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import type { DocumentServices } from './document-services.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import {
  type Claim,
  type ClaimedDocument,
  failDocument,
  listWaiting,
  postponeDocument,
  releaseClaim,
  someStillWait,
  takeBackClaims,
} from './claim-documents.ts';
import type { Embedder } from './embed.ts';
import { type DeletionStep, deleteMarkedDocuments } from './delete-documents.ts';
import { resolveImages } from './image-sections.ts';
import { placeChunks, type PreparedDocument } from './place-chunks.ts';
import { replaceChunks } from './replace-chunks.ts';
import { tallyDocuments } from './tally-documents.ts';

const MAX_ATTEMPTS = 8;
const POISON_REASON = `The process that indexed the document died in each of ${MAX_ATTEMPTS} attempts. Split the document into smaller ones, or give the workers more memory, and send it again.`;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10 * 60_000;
/** The model that describes images may be unavailable for a while, so these retries are slower: half an hour in all. */
const IMAGE_RETRY_FACTOR = 15;
/** Far below the queue's timeout: a job that runs into that costs its claimed documents an attempt. */
const LONGEST_JOB_MS = 60_000;
/** A row lock lasts for one statement; a long document may wait many seconds for a slot. */
const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 200;

type IndexServices = Pick<
  DocumentServices,
  | 'db'
  | 'describeImage'
  | 'embedder'
  | 'inBackground'
  | 'indexThreads'
  | 'indexTurns'
  | 'log'
  | 'producer'
  | 'workTally'
>;

/**
 * Takes turns until these documents are indexed or held by another worker. A turn serves the lanes that are next,
 * whichever job it runs in. So the documents of a small workspace are indexed in the next turn, however many jobs of
 * others are ahead of their own.
 *
 * A turn brings the index to the current revision of each document: claim, chunk, embed, replace. Status, attempts and
 * errors are kept per document, so a bad document never fails its neighbours.
 * @throws RetryLater when the embedder asks for a pause (no document loses an attempt), and after `longestMs`
 */
export async function indexDocuments(
  services: IndexServices,
  ids: readonly DocumentId[],
  signal: AbortSignal,
  longestMs: number = LONGEST_JOB_MS,
): Promise<void> {
  const endsAt = performance.now() + longestMs;
  const own = [...ids, ...(await takeBackClaims(services.db, 'lapsed'))];
  let emptyTurns = 0;
  for (let mayDelete = true; ;) {
    signal.throwIfAborted();
    if (performance.now() > endsAt) throw new RetryLater(0, 'Its documents await their turn.');
    const deletion: DeletionStep = mayDelete
      ? await deleteMarkedDocuments(services, ids)
      : 'nothing';
    mayDelete = deletion === 'more';
    // A job that deletes takes a turn too: thousands of these may be ahead of a job that indexes a document.
    const hasDeleted = deletion !== 'nothing';
    if (!hasDeleted && !(await someStillWait(services.db, own))) return;
    const worked = await takeTurn(services, own, signal);
    emptyTurns = worked ? 0 : emptyTurns + 1;
    if (!worked && !hasDeleted) await wait(emptyTurnPauseMs(emptyTurns));
  }
}

/** @returns false when nothing was due that this worker may claim */
async function takeTurn(
  services: IndexServices,
  own: readonly DocumentId[],
  signal: AbortSignal,
): Promise<boolean> {
  await using claim = await services.indexTurns.next();
  if (claim.documents.length === 0) return false;
  await handBackOnFailure(services, { claim, own }, signal, async () => {
    if (claim.isLong) await wakeAnother(services, own);
    await indexClaim(services, claim, signal);
  });
  return true;
}

/**
 * A long turn occupies this job for seconds while other slots may be idle. Another job for those of its documents that
 * are still waiting wakes one of them.
 */
async function wakeAnother(services: IndexServices, own: readonly DocumentId[]): Promise<void> {
  const waiting = await listWaiting(services.db, own, MAX_DOCUMENTS_PER_JOB);
  if (waiting.length > 0) await sendJob(services, waiting, 0);
}

async function indexClaim(
  services: IndexServices,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const documents = await failPoisonous(services, claim);
  if (documents.length === 0) return;
  try {
    await indexBatch(services, claim, documents, signal);
  } catch (error) {
    if (signal.aborted || error instanceof RetryLater) throw error;
    // One document fails the batch: index each alone, so that only that one fails.
    for (const document of documents) await indexAlone(services, claim, document, signal);
  }
}

/** An error in the last attempt fails the document, so one with even more attempts has killed its workers. */
async function failPoisonous(services: IndexServices, claim: Claim): Promise<ClaimedDocument[]> {
  for (const document of claim.documents) {
    if (document.attempts > MAX_ATTEMPTS) await fail(services, claim, document, POISON_REASON);
  }
  return claim.documents.filter(({ attempts }) => attempts <= MAX_ATTEMPTS);
}

async function indexAlone(
  services: IndexServices,
  claim: Claim,
  document: ClaimedDocument,
  signal: AbortSignal,
): Promise<void> {
  try {
    await indexBatch(services, claim, [document], signal);
  } catch (error) {
    if (signal.aborted || error instanceof RetryLater) throw error;
    const reason = reasonOf(error);
    if (error instanceof GiveUp || document.attempts >= MAX_ATTEMPTS) {
      await fail(services, claim, document, reason);
      return;
    }
    await tryLater(services, claim, document, { factor: 1, reason });
  }
}

async function tryLater(
  services: IndexServices,
  claim: Claim,
  document: ClaimedDocument,
  { factor, reason }: { factor: number; reason: string },
): Promise<void> {
  const { id, attempts } = document;
  const delayMs = Math.min(retryDelayMs(attempts, Math.random()) * factor, LONGEST_RETRY_MS);
  await postponeDocument(services.db, claim.token, id, delayMs, reason);
  tallyDocuments(services, claim, [document], 'retried');
  await services.producer.enqueue(documentIndex, { documentIds: [id] }, { delayMs });
}

/** Adds image descriptions. Documents that cannot get them yet are postponed; the last attempt goes without. */
async function withImages(
  services: IndexServices,
  claim: Claim,
  documents: ClaimedDocument[],
  signal: AbortSignal,
): Promise<ClaimedDocument[]> {
  const { ready, later } = await resolveImages(documents, services.describeImage, signal);
  for (const { document, reason } of later) {
    if (document.attempts >= MAX_ATTEMPTS) ready.push(document);
    else await tryLater(services, claim, document, { factor: IMAGE_RETRY_FACTOR, reason });
  }
  return ready;
}

async function indexBatch(
  services: IndexServices,
  claim: Claim,
  claimed: ClaimedDocument[],
  signal: AbortSignal,
): Promise<void> {
  const documents = await withImages(services, claim, claimed, signal);
  if (documents.length === 0) return;
  const { embedder, indexThreads, inBackground } = services;
  const texts = documents.map((document) => textOf(document, embedder));
  const prepared = await indexThreads.prepare(texts, signal);
  const good: PreparedDocument[] = [];
  for (const [index, document] of documents.entries()) {
    const answer = prepared[index];
    if (answer && 'chunks' in answer) good.push({ document, chunks: answer.chunks });
    else await fail(services, claim, document, answer?.failure ?? 'Not prepared.');
  }
  const changes = await placeChunks(services, good, signal);
  const writer = { token: claim.token, model: embedder.model, signal, inBackground };
  await sendDeliveries(services, await replaceChunks(services.db, writer, changes));
  tallyDocuments(
    services,
    claim,
    good.map(({ document }) => document),
    'done',
  );
}

async function fail(
  services: IndexServices,
  claim: Claim,
  document: ClaimedDocument,
  reason: string,
): Promise<void> {
  await sendDeliveries(services, await failDocument(services.db, claim.token, document.id, reason));
  tallyDocuments(services, claim, [document], 'failed');
}

/**
 * If the work ends early, for whatever reason, the claimed rows return to waiting. The attempt does not count, except
 * after a job timeout: documents that always exceed it must not be retried forever.
 */
async function handBackOnFailure(
  services: IndexServices,
  { claim, own }: { claim: Claim; own: readonly DocumentId[] },
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isLater = error instanceof RetryLater;
    const reason: unknown = signal.reason;
    const delayMs = isLater ? error.delayMs : 0;
    await releaseClaim(services.db, claim, {
      delayMs,
      reason: isLater ? error.message : null,
      countsAttempt: signal.aborted && reason instanceof Error && reason.name === 'JobTimeout',
    });
    if (isLater || signal.aborted) await sendOthers(services, { claim, own }, delayMs);
    throw error;
  }
}

/** Sends a job for documents of other jobs, which may have ended by now. This job is retried for its own documents. */
async function sendOthers(
  services: IndexServices,
  { claim, own }: { claim: Claim; own: readonly DocumentId[] },
  delayMs: number,
): Promise<void> {
  const others = claim.documents.map(({ id }) => id).filter((id) => !own.includes(id));
  if (others.length > 0) await sendJob(services, others, delayMs);
}

async function sendJob(
  { log, producer }: IndexServices,
  documentIds: DocumentId[],
  delayMs: number,
): Promise<void> {
  try {
    await producer.enqueue(documentIndex, { documentIds }, { delayMs });
  } catch (error) {
    log.warn({ error: String(error) }, 'documents waiting, job not sent: reconcile will send it');
  }
}

function emptyTurnPauseMs(emptyTurns: number): number {
  return Math.min(SHORTEST_PAUSE_MS * 2 ** (emptyTurns - 1), LONGEST_PAUSE_MS);
}

function textOf(document: ClaimedDocument, { isBuiltin, dimensions }: Embedder) {
  const isNew = document.indexed_revision === null;
  return {
    workspaceId: document.workspace_id,
    title: document.title ?? document.semantic_identifier,
    sectionsJson: document.sections_json,
    metadata: document.metadata,
    // Of a document that is indexed already, most chunks have their vectors.
    dimensions: isNew && isBuiltin ? dimensions : null,
  };
}

/** Exponential backoff, capped, of which up to half is jitter; `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const base = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
  return Math.round(base * (0.5 + random / 2));
}

function reasonOf(error: unknown): string {
  if (
    error instanceof Error &&
    error.cause instanceof Error &&
    error.cause.name === 'TimeoutError'
  ) {
    return 'Preparing the document took longer than a minute. Split it into smaller documents.';
  }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return 'Preparing the document took more memory than allowed. Split it into smaller documents.';
  }
  return error instanceof Error ? error.message : String(error);
}
