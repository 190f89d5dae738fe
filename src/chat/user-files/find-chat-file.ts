import type { StoredFile } from '#src/files/file-store.ts';
import type { StoredFileId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { UserFileOwner } from './user-file-owner.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

/**
 * A stored file that the user has uploaded, or that a tool has made for them.
 * @throws Problem NOT_FOUND for any other
 */
export async function findChatFile(
  { files }: Pick<ChatServices, 'files'>,
  { workspaceId, userId }: UserFileOwner,
  id: string,
): Promise<StoredFile> {
  // An id from a client; the query tells whether it exists.
  const file = isUuid(id) ? await files.find(workspaceId, id as StoredFileId) : null;
  if (file && file.createdBy === userId) return file;
  throw noSuchFile(id);
}

/** @throws Problem NOT_FOUND when it was deleted meanwhile */
export async function readChatFile(
  { files }: Pick<ChatServices, 'files'>,
  { workspaceId }: UserFileOwner,
  { id }: StoredFile,
): Promise<Buffer> {
  const found = await files.read(workspaceId, id);
  if (found) return found.bytes;
  throw noSuchFile(id);
}

function noSuchFile(id: string): Problem {
  return new Problem('NOT_FOUND', `File not found. There is no file ${id.slice(0, 100)} of yours.`);
}
