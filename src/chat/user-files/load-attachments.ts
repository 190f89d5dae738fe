import { sql } from 'kysely';
import type { ModelImage } from '#src/chat/model/chat-model.ts';
import { readImage } from '#src/files/read-image.ts';
import type { StoredFileId, UserFileId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { GiveUp, Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { ChatFileType, FileDescriptor, UserFileStatus } from '#src/tables/chat.ts';
import { chatFileTypeOf } from './chat-file-type.ts';
import { readFileText } from './read-file-text.ts';
import type { UserFileOwner } from './user-file-owner.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

/** A file attached to a message. */
export interface Attachment {
  descriptor: FileDescriptor;
  name: string;
  mediaType: string;
  /** Null for images. */
  text: string | null;
  tokenCount: number;
  image: ModelImage | null;
  /** @throws Problem when it was deleted meanwhile */
  read(signal: AbortSignal): Promise<Uint8Array>;
}

type AttachmentServices = Pick<ChatServices, 'config' | 'db' | 'files' | 'parsers'>;

const MAX_ATTACHMENTS = 100;
/** A larger file is read by a worker; until then it cannot be attached. */
const MAX_UNREAD_BYTES = 2_000_000;
/** Types that providers accept. */
const MAX_IMAGE_BYTES = 20_000_000;

/** A file of the owner: uploaded, or made by a tool (then the user file's fields are null). */
interface FoundFile {
  stored_file_id: StoredFileId;
  user_file_id: UserFileId | null;
  name: string;
  media_type: string;
  byte_count: number;
  chat_file_type: ChatFileType | null;
  status: UserFileStatus | null;
  text: string | null;
  token_count: number | null;
  error: string | null;
}

/**
 * The files that a message names, in order, with what a model needs of them.
 * @throws Problem BAD_REQUEST that names `file_descriptors[<i>]` for a file that the owner does not have, that could
 * not be read, or is not read yet
 */
export async function loadAttachments(
  services: AttachmentServices,
  owner: UserFileOwner,
  references: readonly { id: string; userFileId: string | null }[],
  signal: AbortSignal,
): Promise<Attachment[]> {
  if (references.length === 0) return [];
  if (references.length > MAX_ATTACHMENTS) {
    throw new Problem('BAD_REQUEST', `file_descriptors: at most ${MAX_ATTACHMENTS} files.`);
  }
  const ids = references.flatMap(({ id, userFileId }) => [id, userFileId ?? []].flat());
  const found = await findFiles(services.db, owner, [...new Set(ids.filter(isUuid))]);
  const attachments: Attachment[] = [];
  // Sequentially: each may hold its bytes and those of its parser in memory.
  for (const [index, { id, userFileId }] of references.entries()) {
    const wanted = new Set<string | null>([userFileId, id].map((one) => one?.toLowerCase() ?? ''));
    const file = found.find(
      (row) => wanted.has(row.user_file_id) || wanted.has(row.stored_file_id),
    );
    const place = `file_descriptors[${index}]`;
    if (!file) throw wrong(place, `there is no file ${id} of yours. Upload it first.`);
    attachments.push(await toAttachment(services, owner, { file, place, signal }));
  }
  return attachments;
}

async function findFiles(
  db: Database,
  owner: UserFileOwner,
  ids: readonly string[],
): Promise<FoundFile[]> {
  const { rows } = await sql<FoundFile>`
    with used as (
      update user_file set last_accessed_at = now()
      where workspace_id = ${owner.workspaceId} and user_id = ${owner.userId}
        and (id = any(${ids}::uuid[]) or stored_file_id = any(${ids}::uuid[])) and status <> 'DELETING'
      returning *)
    select f.id as stored_file_id, u.id as user_file_id, coalesce(u.name, f.name) as name,
      coalesce(u.media_type, f.media_type) as media_type, f.byte_count::float8 as byte_count,
      u.chat_file_type, u.status, u.text, u.token_count, u.error
    from stored_file f left join used u on u.stored_file_id = f.id
    where f.workspace_id = ${owner.workspaceId} and f.byte_count >= 0
      and (u.id is not null or f.id = any(${ids}::uuid[]) and f.created_by = ${owner.userId}
        and not exists (select from user_file other where other.stored_file_id = f.id))`.execute(
    db,
  );
  return rows;
}

async function toAttachment(
  services: AttachmentServices,
  owner: UserFileOwner,
  { file, place, signal }: { file: FoundFile; place: string; signal: AbortSignal },
): Promise<Attachment> {
  if (file.status === 'FAILED') throw wrong(place, file.error ?? 'the file could not be read.');
  const type = file.chat_file_type ?? chatFileTypeOf(file.media_type);
  const read = async (): Promise<Uint8Array> => {
    const stored = await services.files.read(owner.workspaceId, file.stored_file_id);
    if (!stored) throw wrong(place, `the content of ${file.name} is gone. Upload it again.`);
    return stored.bytes;
  };
  const attachment = {
    descriptor: {
      id: file.stored_file_id,
      type,
      name: file.name,
      user_file_id: file.user_file_id,
    },
    name: file.name,
    mediaType: file.media_type,
    read,
  };
  if (type === 'image') {
    const image = await loadImage(file, place, read);
    return { ...attachment, text: null, tokenCount: file.token_count ?? 0, image };
  }
  if (file.text !== null) {
    return { ...attachment, text: file.text, tokenCount: file.token_count ?? 0, image: null };
  }
  if (file.byte_count > MAX_UNREAD_BYTES) {
    throw wrong(place, `${file.name} is still being read. Try again in a moment.`);
  }
  const bytes = await read();
  const { text, tokenCount } = await explainGiveUp(place, () =>
    readFileText(services, { name: file.name, bytes, owner: owner.workspaceId, signal }),
  );
  return { ...attachment, text, tokenCount, image: null };
}

async function loadImage(
  { name, byte_count: byteCount }: FoundFile,
  place: string,
  read: () => Promise<Uint8Array>,
): Promise<ModelImage> {
  if (byteCount > MAX_IMAGE_BYTES) {
    throw wrong(place, `${name} is larger than ${MAX_IMAGE_BYTES / 1e6} MB. Make it smaller.`);
  }
  const bytes = await read();
  // A file that was not uploaded for chats has not been inspected before.
  const image = await explainGiveUp(place, async () => readImage({ name, bytes }));
  if (image === null) throw wrong(place, `${name} is not an image.`);
  return { mediaType: image.mediaType, bytes };
}

async function explainGiveUp<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GiveUp) throw wrong(place, error.message, error);
    throw error;
  }
}

function wrong(place: string, reason: string, cause?: unknown): Problem {
  return new Problem('BAD_REQUEST', `${place}: ${reason}`, { cause });
}
