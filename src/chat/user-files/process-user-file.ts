import type { UserFileId } from '#src/ids.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import { keepLease } from '#src/platform/keep-lease.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import {
  type ClaimedFile,
  claimUserFile,
  failUserFile,
  releaseUserFile,
  renewUserFile,
} from './claim-user-file.ts';
import { cutPassages } from './cut-passages.ts';
import { readFileText } from './read-file-text.ts';
import { saveUserFile } from './save-user-file.ts';

/** After this many failed attempts, the file is probably what ends its workers. */
const MAX_ATTEMPTS = 5;

type ProcessServices = Pick<ChatServices, 'config' | 'db' | 'files' | 'indexThreads' | 'parsers'>;

/**
 * Reads an uploaded file, and cuts it into passages that chats can search: it ends COMPLETED, or FAILED with the
 * reason. Does nothing if that is done, the file was deleted, or another worker has claimed it.
 * @throws RetryLater when the file store cannot be reached, and other errors that are not the file's fault; it is then
 * retried
 */
export async function processUserFile(
  services: ProcessServices,
  id: UserFileId,
  signal: AbortSignal,
): Promise<{ chunks: number }> {
  const { db } = services;
  const claim = await claimUserFile(db, id);
  if (!claim) return { chunks: 0 };
  if (claim.attempts > MAX_ATTEMPTS) {
    await failUserFile(db, claim, `${claim.name} could not be read in ${MAX_ATTEMPTS} attempts.`);
    return { chunks: 0 };
  }
  using lease = keepLease(() => renewUserFile(db, claim));
  try {
    return await readClaimed(services, claim, AbortSignal.any([signal, lease.signal]));
  } catch (error) {
    if (lease.signal.aborted) return { chunks: 0 };
    if (error instanceof GiveUp) {
      await failUserFile(db, claim, error.message);
      return { chunks: 0 };
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
  const file = { name: claim.name, bytes: stored.bytes, signal };
  const { sections, text, tokenCount } = await readFileText(services, file);
  const passages = await cutPassages(services.indexThreads, claim, sections, signal);
  await saveUserFile(services.db, claim, { text, tokenCount, passages });
  return { chunks: passages.length };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'JobTimeout';
}
