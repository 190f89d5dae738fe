import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem, RetryLater } from '#src/platform/errors.ts';
import type { Tables } from '#src/tables/tables.ts';
import type { FileBytes } from './file-bytes.ts';

/** `byte_count` of a file that is still being uploaded and not yet visible. */
const UNFINISHED = -1;
const IDS_PER_STATEMENT = 1_000;

export type FileLocation = Tables['stored_file']['location']['__select__'];

export interface StoredFile {
  id: StoredFileId;
  name: string;
  mediaType: string;
  byteCount: number;
  metadata: Record<string, unknown>;
  /** Null once the user is deleted. */
  createdBy: UserId | null;
  createdAt: Date;
}

export interface NewFile {
  workspaceId: WorkspaceId;
  createdBy: UserId | null;
  name: string;
  mediaType: string;
  metadata?: Record<string, unknown>;
}

/** Uploaded files and files created by tools: each has a row, and bytes in the place that the row names. */
export interface FileStore {
  /**
   * Stores a stream as it arrives; an interrupted one leaves nothing behind.
   * @throws Problem PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE when the disk is full; RetryLater when the store cannot be
   * reached
   */
  save(file: NewFile, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  find(workspaceId: WorkspaceId, id: StoredFileId): Promise<StoredFile | null>;
  /** @throws RetryLater when the place with the bytes cannot be reached */
  read(
    workspaceId: WorkspaceId,
    id: StoredFileId,
  ): Promise<{ file: StoredFile; bytes: Buffer } | null>;
  remove(workspaceId: WorkspaceId, ids: readonly StoredFileId[]): Promise<void>;
}

export interface FileStoreOptions {
  /** The places for bytes; null if this server is not set up for one (any more). */
  places: Readonly<Record<FileLocation, FileBytes | null>>;
  /** The place for new files; existing files stay where they are. */
  location: FileLocation;
  maxBytes: number;
}

/**
 * Files in the table `stored_file`, with their bytes in one of the places. A file larger than `maxBytes` is refused.
 */
export function createFileStore(db: Database, options: FileStoreOptions): FileStore {
  const { location, maxBytes } = options;
  return {
    async save(file, content) {
      const id = randomUUID() as StoredFileId; // created here
      const place = placeOf(options, location);
      const address = { workspaceId: file.workspaceId, id };
      await insertUnfinished(db, id, file, location);
      try {
        const counted = countBytes(content, file.name, maxBytes);
        await place.write(address, counted.content);
        return await finish(db, id, counted.byteCount());
      } catch (error) {
        await db.deleteFrom('stored_file').where('id', '=', id).execute();
        // Report why saving failed, not the cleanup error; the sweep removes what cannot be removed now.
        await removeBytes(place, address).catch(() => undefined);
        throw error;
      }
    },
    async find(workspaceId, id) {
      const row = await findRow(db, workspaceId, id);
      return row && toStoredFile(row);
    },
    async read(workspaceId, id) {
      const row = await findRow(db, workspaceId, id);
      if (row === null) return null;
      const file = toStoredFile(row);
      const bytes = await placeOf(options, row.location).read({ workspaceId, id }, file.byteCount);
      return bytes && { file, bytes };
    },
    async remove(workspaceId, ids) {
      for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
        const some = ids.slice(start, start + IDS_PER_STATEMENT);
        for (const row of await deleteRows(db, workspaceId, some)) {
          const place = options.places[row.location];
          if (place !== null) await removeBytes(place, { workspaceId, id: row.id });
        }
      }
    },
  };
}

function placeOf({ places }: FileStoreOptions, location: FileLocation): FileBytes {
  const place = places[location];
  if (place !== null) return place;
  throw new Problem(
    'SERVICE_UNAVAILABLE',
    `The file is stored on the ${location}, which this server is not (or no longer) set up for. Tell its operator.`,
  );
}

/**
 * The row is already deleted, so the file is invisible; if the place cannot be reached, `sweepFiles` removes the bytes
 * later.
 */
async function removeBytes(
  place: FileBytes,
  address: { workspaceId: WorkspaceId; id: StoredFileId },
): Promise<void> {
  try {
    await place.remove(address);
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error;
  }
}

/** No transaction: a slow upload would hold it open, and the embedded database has only one connection. */
async function insertUnfinished(
  db: Database,
  id: StoredFileId,
  file: NewFile,
  location: FileLocation,
): Promise<void> {
  await db
    .insertInto('stored_file')
    .values({
      id,
      workspace_id: file.workspaceId,
      name: file.name,
      media_type: file.mediaType,
      byte_count: UNFINISHED,
      metadata: JSON.stringify(file.metadata ?? {}),
      created_by: file.createdBy,
      location,
    })
    .execute();
}

function countBytes(
  content: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
): { content: AsyncIterable<Uint8Array>; byteCount: () => number } {
  let byteCount = 0;
  return {
    byteCount: () => byteCount,
    content: (async function* () {
      for await (const bytes of content) {
        byteCount += bytes.length;
        if (byteCount > maxBytes) throw tooLarge(name, maxBytes);
        yield bytes;
      }
    })(),
  };
}

function tooLarge(name: string, maxBytes: number): Problem {
  return new Problem(
    'PAYLOAD_TOO_LARGE',
    `${name} is larger than ${maxBytes} bytes (MAX_FILE_BYTES). Split it, or raise the limit.`,
  );
}

async function finish(db: Database, id: StoredFileId, byteCount: number): Promise<StoredFile> {
  const row = await db
    .updateTable('stored_file')
    .set({ byte_count: byteCount })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toStoredFile(row);
}

async function findRow(
  db: Database,
  workspaceId: WorkspaceId,
  id: StoredFileId,
): Promise<Selectable<Tables['stored_file']> | null> {
  const row = await db
    .selectFrom('stored_file')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('byte_count', '!=', UNFINISHED)
    .executeTakeFirst();
  return row ?? null;
}

async function deleteRows(
  db: Database,
  workspaceId: WorkspaceId,
  ids: readonly StoredFileId[],
): Promise<{ id: StoredFileId; location: FileLocation }[]> {
  const { rows } = await sql<{ id: StoredFileId; location: FileLocation }>`
    delete from stored_file where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
    returning id, location`.execute(db);
  return rows;
}

function toStoredFile(row: Selectable<Tables['stored_file']>): StoredFile {
  return {
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    byteCount: Number(row.byte_count),
    metadata: row.metadata,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
