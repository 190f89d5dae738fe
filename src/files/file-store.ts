import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem, RetryLater } from '#src/platform/errors.ts';
import type { Tables } from '#src/tables/tables.ts';
import type { FileBytes } from './file-bytes.ts';

/** `byte_count` of a file that is still being uploaded; nobody sees it. */
const UNFINISHED = -1;
const IDS_PER_STATEMENT = 1_000;

export type FileLocation = Tables['stored_file']['location']['__select__'];

export interface StoredFile {
  id: StoredFileId;
  name: string;
  mediaType: string;
  byteCount: number;
  metadata: Record<string, unknown>;
  /** Null once the user is gone. */
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

/** Uploaded files, and those that tools have made: a row each, and bytes where the row says. */
export interface FileStore {
  /**
   * Stores a stream as it comes; nothing remains of one that breaks off.
   * @throws Problem PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE when the disk is full; RetryLater when the store is away
   */
  save(file: NewFile, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  find(workspaceId: WorkspaceId, id: StoredFileId): Promise<StoredFile | null>;
  /** @throws RetryLater when the place that keeps the bytes is away */
  read(
    workspaceId: WorkspaceId,
    id: StoredFileId,
  ): Promise<{ file: StoredFile; bytes: Buffer } | null>;
  remove(workspaceId: WorkspaceId, ids: readonly StoredFileId[]): Promise<void>;
}

export interface FileStoreOptions {
  /** Where bytes can be kept; null: not here (any more). */
  places: Readonly<Record<FileLocation, FileBytes | null>>;
  /** Where new files go; those that were stored before stay where they are. */
  location: FileLocation;
  maxBytes: number;
}

/** Files in the table `stored_file`, their bytes in one of the places; one of more than `maxBytes` is refused. */
export function createFileStore(db: Database, options: FileStoreOptions): FileStore {
  const { location, maxBytes } = options;
  return {
    async save(file, content) {
      const id = randomUUID() as StoredFileId; // made here
      const place = placeOf(options, location);
      const address = { workspaceId: file.workspaceId, id };
      await insertUnfinished(db, id, file, location);
      try {
        const counted = countBytes(content, file.name, maxBytes);
        await place.write(address, counted.content);
        return await finish(db, id, counted.byteCount());
      } catch (error) {
        await db.deleteFrom('stored_file').where('id', '=', id).execute();
        // What counts is why it was not saved; the sweep takes what cannot be removed now.
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
    `The file is kept on the ${location}, which this server is not set up for (any more). Tell its operator.`,
  );
}

/** The row is gone, so nobody finds them; what a place that is away keeps of them, `sweepFiles` takes later. */
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

/** No transaction: a slow upload would hold one open, and the embedded database has only one. */
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
