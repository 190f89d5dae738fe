import { sql } from 'kysely';
import { userFile } from '#queues/user-file.ts';
import { lockProject } from '#src/chat/projects/projects.ts';
import { setMediaTypes } from '#src/files/stored-file-rows.ts';
import type { ProjectId, UserFileId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { SHOWN_COLUMNS, type ShownUserFile } from './present-user-file.ts';
import {
  type RejectedFile,
  type SentFile,
  type TakenFile,
  takeUserFile,
} from './take-user-file.ts';
import type { UserFileOwner } from './user-file-owner.ts';

/** BullMQ's highest number is 2^21. */
const LAST_PRIORITY = 100_000;
/** The most that a project shows. */
const MAX_FILES_OF_PROJECT = 1_000;

type UploadServices = Pick<
  ChatServices,
  'config' | 'db' | 'files' | 'log' | 'parsers' | 'producer'
>;

export interface UploadedFile {
  row: ShownUserFile;
  /** `<size>|<first 50 characters of the name>`, the key that clients with their own ids use. */
  tempKey: string;
}

/** The files of one request. None of them is visible before `finish`. */
export interface UserUpload {
  readonly rejected: readonly RejectedFile[];
  take(file: SentFile): Promise<void>;
  /** @throws Problem NOT_FOUND for a project that the owner does not have; nothing is kept then */
  finish(options: { projectId: number | null; requestId: string }): Promise<UploadedFile[]>;
  /** Removes everything stored so far. */
  discard(): Promise<void>;
}

export function beginUserUpload(
  services: UploadServices,
  owner: UserFileOwner,
  signal: AbortSignal,
): UserUpload {
  const taken: TakenFile[] = [];
  const tempKeys = new Map<UserFileId, string>();
  const rejected: RejectedFile[] = [];
  return {
    rejected,
    async take(file) {
      const result = await takeUserFile(services, owner, file, signal);
      if ('reason' in result) {
        rejected.push(result);
        return;
      }
      taken.push(result);
      tempKeys.set(result.id, `${result.byteCount}|${file.name.slice(0, 50)}`);
    },
    async finish({ projectId, requestId }) {
      const rows = await insertRows(services, owner, taken, projectId);
      const toRead = rows.filter(({ status }) => status === 'PROCESSING');
      const waiting = toRead.length === 0 ? 0 : await countWaiting(services, owner);
      for (const [index, { id }] of toRead.entries()) {
        const place = Math.max(1, waiting - toRead.length + index + 1);
        await sendUserFile(services, id, { requestId, place });
      }
      return rows.map((row) => ({ row, tempKey: tempKeys.get(row.id) ?? '' }));
    },
    discard: () =>
      services.files.remove(
        owner.workspaceId,
        taken.map(({ storedFileId }) => storedFileId),
      ),
  };
}

/**
 * The row is committed: a job that cannot be sent now is sent by `reconcile`.
 * @param options `place`: among the waiting files of its workspace. The first file of one workspace goes before the
 *   second of another.
 */
export async function sendUserFile(
  { producer, log }: Pick<ChatServices, 'producer' | 'log'>,
  userFileId: UserFileId,
  { place, ...options }: { requestId: string | null; place: number; delayMs?: number },
): Promise<void> {
  const priority = Math.min(place, LAST_PRIORITY);
  try {
    await producer.enqueue(userFile, { userFileId }, { ...options, priority });
  } catch (error) {
    log.warn({ error: String(error), userFileId }, 'user-file not sent: reconcile will send it');
  }
}

async function countWaiting(
  { db }: Pick<UploadServices, 'db'>,
  { workspaceId }: UserFileOwner,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from user_file
    where workspace_id = ${workspaceId} and status = 'PROCESSING'`.execute(db);
  return rows[0]?.count ?? 0;
}

async function insertRows(
  { db }: UploadServices,
  owner: UserFileOwner,
  taken: readonly TakenFile[],
  projectId: number | null,
): Promise<ShownUserFile[]> {
  return db.transaction().execute(async (trx) => {
    const project = projectId === null ? null : await lockProject(trx, owner, projectId);
    if (taken.length === 0) return [];
    await setMediaTypes(
      trx,
      taken.map(({ storedFileId, mediaType }) => ({ id: storedFileId, mediaType })),
    );
    const inserted = await trx
      .insertInto('user_file')
      .values(taken.map((file) => toRow(owner, file)))
      .returning(SHOWN_COLUMNS)
      .execute();
    if (project !== null) await addToProject(trx, project.id, taken);
    const rowOf = new Map(inserted.map((row) => [row.id, row]));
    return taken.flatMap(({ id }) => rowOf.get(id) ?? []);
  });
}

function toRow(owner: UserFileOwner, file: TakenFile) {
  const isImage = file.type === 'image';
  return {
    id: file.id,
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    stored_file_id: file.storedFileId,
    name: file.name,
    media_type: file.mediaType,
    chat_file_type: file.type,
    // An image has no text to wait for.
    status: isImage ? ('COMPLETED' as const) : ('PROCESSING' as const),
    token_count: file.tokenCount,
    chunk_count: isImage ? 0 : null,
  };
}

/** The caller has locked the project. */
async function addToProject(
  trx: DatabaseTransaction,
  projectId: ProjectId,
  taken: readonly TakenFile[],
): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from project_file where project_id = ${projectId}`.execute(trx);
  if ((rows[0]?.count ?? 0) + taken.length > MAX_FILES_OF_PROJECT) {
    throw new Problem(
      'CONFLICT',
      `The project ${projectId} would have more than ${MAX_FILES_OF_PROJECT} files. Take some out first.`,
    );
  }
  await trx
    .insertInto('project_file')
    .values(taken.map(({ id }) => ({ project_id: projectId, user_file_id: id })))
    .execute();
}
