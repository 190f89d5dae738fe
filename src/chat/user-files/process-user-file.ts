import type { UserFileId } from '#src/ids.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import { openGate, throughGate } from '#src/platform/gate.ts';
import { keepLease } from '#src/platform/keep-lease.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import {
  type ClaimedFile,
  claimUserFile,
  failUserFile,
  maxOfWorkspace,
  nextUserFiles,
  releaseUserFile,
  renewUserFile,
} from './claim-user-file.ts';
import { cutPassages } from './cut-passages.ts';
import { readFileText } from './read-file-text.ts';
import { saveUserFile } from './save-user-file.ts';
import { sendUserFile } from './upload-user-files.ts';

/** After this many failed attempts, the file is probably what ends its workers. */
const MAX_ATTEMPTS = 5;

type ProcessServices = Pick<
  ChatServices,
  'config' | 'db' | 'files' | 'indexThreads' | 'log' | 'parsers' | 'producer'
>;

interface ProcessedFile {
  chunks: number;
  end: 'nothing to do' | 'completed' | 'failed' | 'lost';
}

/** One at a time, so that each counts the claims before it. */
const enterClaims = openGate(1);

/**
 * Reads an uploaded file, and cuts it into passages that chats can search: it ends COMPLETED, or FAILED with the
 * reason. Does nothing if that is done, the file was deleted, or another worker has claimed it; nor while its workspace
 * has all but one of this process's places, so that a file of another workspace finds one.
 * @throws RetryLater when the file store cannot be reached, and other errors that are not the file's fault; it is then
 * retried
 */
export async function processUserFile(
  services: ProcessServices,
  id: UserFileId,
  signal: AbortSignal,
): Promise<ProcessedFile> {
  const { db } = services;
  const atOnce = maxOfWorkspace(services.config);
  const claim = await throughGate(enterClaims, () => claimUserFile(db, id, atOnce));
  if (!claim) return { chunks: 0, end: 'nothing to do' };
  const processed = await processClaimed(services, claim, signal);
  // If this fails, `reconcile` finds them.
  const next = await nextUserFiles(db, claim.workspace_id, atOnce).catch(() => []);
  for (const [index, other] of next.entries()) {
    await sendUserFile(services, other, { requestId: null, place: index + 1 });
  }
  return processed;
}

async function processClaimed(
  services: ProcessServices,
  claim: ClaimedFile,
  signal: AbortSignal,
): Promise<ProcessedFile> {
  const { db } = services;
  if (claim.attempts > MAX_ATTEMPTS) {
    await failUserFile(db, claim, `${claim.name} could not be read in ${MAX_ATTEMPTS} attempts.`);
    return { chunks: 0, end: 'failed' };
  }
  using lease = keepLease(() => renewUserFile(db, claim));
  try {
    const both = AbortSignal.any([signal, lease.signal]);
    return { ...(await readClaimed(services, claim, both)), end: 'completed' };
  } catch (error) {
    if (lease.signal.aborted) return { chunks: 0, end: 'lost' };
    if (error instanceof GiveUp) {
      await failUserFile(db, claim, error.message);
      return { chunks: 0, end: 'failed' };
    }
    const isStopped = signal.aborted && !isTimeout(signal.reason);
    const countsAttempt = !(error instanceof RetryLater || isStopped);
    await releaseUserFile(db, claim, { countsAttempt });
    throw error;
  }
}

async function readClaimed(
  services: ProcessServices,
  claim: ClaimedFile,
  signal: AbortSignal,
): Promise<{ chunks: number }> {
  const stored = await services.files.read(claim.workspace_id, claim.stored_file_id);
  if (!stored) throw new GiveUp(`The content of ${claim.name} is gone. Upload it again.`);
  const file = { name: claim.name, bytes: stored.bytes, owner: claim.workspace_id, signal };
  const { sections, text, tokenCount } = await readFileText(services, file);
  const passages = await cutPassages(services.indexThreads, claim, sections, signal);
  await saveUserFile(services.db, claim, { text, tokenCount, passages });
  return { chunks: passages.length };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'JobTimeout';
}
