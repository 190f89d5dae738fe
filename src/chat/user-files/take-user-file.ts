import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { type InspectedFile, inspectFile } from '#src/files/inspect-file.ts';
import { safeFileName } from '#src/files/safe-file-name.ts';
import type { StoredFileId, UserFileId, WorkspaceId } from '#src/ids.ts';
import { openFairGate } from '#src/platform/fair-gate.ts';
import { GiveUp, Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { ChatFileType } from '#src/tables/chat.ts';
import { chatFileTypeOf } from './chat-file-type.ts';
import type { UserFileOwner } from './user-file-owner.ts';

/** A file this many times over the limit is not read to its end: it ends the request. */
const MAX_EXCESS = 10;
/** Whole files in memory at once, for all requests. */
const INSPECTIONS_AT_ONCE = 3;
/** Of one workspace. */
const OWN_INSPECTIONS_AT_ONCE = 2;
/** Providers count about one token per this many pixels, and shrink images of more than 1,600 tokens. */
const PIXELS_PER_TOKEN = 750;
const MAX_IMAGE_TOKENS = 1_600;

export interface SentFile {
  name: string;
  mediaType: string;
  content: AsyncIterable<Uint8Array>;
}

/** A file that has been stored and inspected, but has no user file row yet. */
export interface TakenFile {
  id: UserFileId;
  storedFileId: StoredFileId;
  name: string;
  mediaType: string;
  type: ChatFileType;
  byteCount: number;
  /** For images, an estimate; null for a file still to be read. */
  tokenCount: number | null;
}

export interface RejectedFile {
  file_name: string;
  reason: string;
}

type TakeServices = Pick<ChatServices, 'config' | 'files' | 'parsers'>;

const inspections = openFairGate<WorkspaceId>({
  places: INSPECTIONS_AT_ONCE,
  placesOfKey: OWN_INSPECTIONS_AT_ONCE,
});

/**
 * Stores a file while it arrives, then inspects its content. A rejected file is deleted again.
 * @throws Problem PAYLOAD_TOO_LARGE for a file too large to read to its end
 */
export async function takeUserFile(
  services: TakeServices,
  owner: UserFileOwner,
  sent: SentFile,
  signal: AbortSignal,
): Promise<TakenFile | RejectedFile> {
  const name = posix.basename(safeFileName(sent.name));
  const maxBytes = services.config.MAX_FILE_BYTES;
  try {
    if (name === '') return await withoutName(upTo(sent.content, sent.name, maxBytes), sent.name);
    return await storeAndInspect(services, owner, { ...sent, name }, signal);
  } catch (error) {
    if (error instanceof TooLarge) return { file_name: name, reason: tooLarge(name, maxBytes) };
    if (error instanceof GiveUp) return { file_name: name, reason: error.message };
    throw error;
  }
}

async function storeAndInspect(
  { config, files, parsers }: TakeServices,
  { workspaceId, userId }: UserFileOwner,
  { name, content }: SentFile,
  signal: AbortSignal,
): Promise<TakenFile> {
  const id = randomUUID() as UserFileId; // created here
  const stored = await files.save(
    {
      workspaceId,
      createdBy: userId,
      name,
      mediaType: 'application/octet-stream',
      // Lets `sweepFiles` find it if the request ends before its row exists.
      metadata: { user_file_id: id },
    },
    upTo(content, name, config.MAX_FILE_BYTES),
  );
  try {
    const inspected = await inspectStored();
    return {
      id,
      storedFileId: stored.id,
      name,
      mediaType: inspected.mediaType,
      type: chatFileTypeOf(inspected.mediaType),
      byteCount: stored.byteCount,
      tokenCount: imageTokens(inspected),
    };
  } catch (error) {
    await files.remove(workspaceId, [stored.id]);
    throw error;
  }

  async function inspectStored(): Promise<InspectedFile> {
    if (stored.byteCount === 0) throw new GiveUp(`${name} is empty.`);
    const leave = await inspections.enter(workspaceId, { signal });
    try {
      const found = await files.read(workspaceId, stored.id);
      if (!found) throw new Error(`The upload ${stored.id} vanished while it was looked at.`);
      return await inspectFile(parsers, { name, bytes: found.bytes, signal, owner: workspaceId });
    } finally {
      leave();
    }
  }
}

/** The next file of the form arrives only after this one has been read. */
async function withoutName(
  content: AsyncIterable<Uint8Array>,
  sentName: string,
): Promise<RejectedFile> {
  const parts = content[Symbol.asyncIterator]();
  while (!(await parts.next()).done);
  return { file_name: sentName.slice(0, 100).toWellFormed(), reason: 'It has no usable name.' };
}

/** One file of the form is too large; the others continue. */
class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Reads an oversized file to its end, unless that is far away, so that the next file of the form can be read. */
async function* upTo(
  content: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let byteCount = 0;
  for await (const bytes of content) {
    byteCount += bytes.length;
    if (byteCount <= maxBytes) yield bytes;
    else if (byteCount > maxBytes * MAX_EXCESS) {
      throw new Problem('PAYLOAD_TOO_LARGE', tooLarge(name, maxBytes));
    }
  }
  if (byteCount > maxBytes) throw new TooLarge();
}

function tooLarge(name: string, maxBytes: number): string {
  return `${name} is larger than ${maxBytes / 1e6} MB (MAX_FILE_BYTES). Split it.`;
}

function imageTokens(file: InspectedFile): number | null {
  if (file.kind !== 'image') return null;
  const { width, height } = file.image;
  return Math.min(Math.ceil((width * height) / PIXELS_PER_TOKEN), MAX_IMAGE_TOKENS);
}
