import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Tables } from '#src/tables.ts';

/** One statement each: small enough for any driver's memory, large enough to be few. */
const PART_BYTES = 1024 * 1024;
/** `byte_count` of a file that is still being uploaded; nobody sees it. */
const UNFINISHED = -1;
/** Uploads have deadlines far below: what is unfinished for longer was left by a process that died. */
const ABANDONED_AFTER = sql`interval '1 day'`;
const IDS_PER_STATEMENT = 1_000;

export interface StoredFile {
  id: StoredFileId;
  name: string;
  mediaType: string;
  byteCount: number;
  metadata: Record<string, unknown>;
  createdAt: Date;
}

export interface NewFile {
  workspaceId: WorkspaceId;
  createdBy: UserId | null;
  name: string;
  mediaType: string;
  metadata?: Record<string, unknown>;
}

/** Uploaded files, in the database: every process sees them, and they are backed up with the rest. */
export interface FileStore {
  /** Stores a stream part by part; nothing remains of one that breaks off. @throws Problem PAYLOAD_TOO_LARGE */
  save(file: NewFile, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  find(workspaceId: WorkspaceId, id: StoredFileId): Promise<StoredFile | null>;
  read(
    workspaceId: WorkspaceId,
    id: StoredFileId,
  ): Promise<{ file: StoredFile; bytes: Buffer } | null>;
  remove(workspaceId: WorkspaceId, ids: readonly StoredFileId[]): Promise<void>;
}

/** Files in the tables `stored_file` and `stored_file_part`; one of more than `maxBytes` is refused. */
export function createFileStore(db: Database, { maxBytes }: { maxBytes: number }): FileStore {
  return {
    async save(file, content) {
      const id = randomUUID() as StoredFileId; // made here
      await insertUnfinished(db, id, file);
      try {
        const byteCount = await insertParts(db, { id, name: file.name, maxBytes }, content);
        return await finish(db, id, byteCount);
      } catch (error) {
        await db.deleteFrom('stored_file').where('id', '=', id).execute();
        throw error;
      }
    },
    find: (workspaceId, id) => findFile(db, workspaceId, id),
    async read(workspaceId, id) {
      const file = await findFile(db, workspaceId, id);
      const bytes = file === null ? null : await readParts(db, file);
      return file === null || bytes === null ? null : { file, bytes };
    },
    async remove(workspaceId, ids) {
      for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
        await db
          .deleteFrom('stored_file')
          .where('workspace_id', '=', workspaceId)
          .where('id', 'in', ids.slice(start, start + IDS_PER_STATEMENT))
          .execute();
      }
    },
  };
}

/** No transaction: a slow upload would hold one open, and the embedded database has only one. */
async function insertUnfinished(db: Database, id: StoredFileId, file: NewFile): Promise<void> {
  await sql`delete from stored_file where workspace_id = ${file.workspaceId}
    and byte_count = ${UNFINISHED} and created_at < now() - ${ABANDONED_AFTER}`.execute(db);
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
    })
    .execute();
}

/** @returns the number of bytes */
async function insertParts(
  db: Database,
  { id, name, maxBytes }: { id: StoredFileId; name: string; maxBytes: number },
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  let byteCount = 0;
  let part = 0;
  for await (const bytes of partsOf(content)) {
    byteCount += bytes.length;
    if (byteCount > maxBytes) throw tooLarge(name, maxBytes);
    // As text: PGlite writes bytes out one by one, at 5 MB/s.
    await sql`insert into stored_file_part (stored_file_id, part, content)
      values (${id}, ${part}, decode(${bytes.toString('base64')}, 'base64'))`.execute(db);
    part += 1;
  }
  return byteCount;
}

/** The same bytes in parts of `PART_BYTES`, the last one shorter. */
async function* partsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let open: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    let rest = chunk;
    while (length + rest.length >= PART_BYTES) {
      const room = PART_BYTES - length;
      yield Buffer.concat([...open, rest.subarray(0, room)]);
      rest = rest.subarray(room);
      open = [];
      length = 0;
    }
    if (rest.length > 0) open.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(open);
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

async function findFile(
  db: Database,
  workspaceId: WorkspaceId,
  id: StoredFileId,
): Promise<StoredFile | null> {
  const row = await db
    .selectFrom('stored_file')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('byte_count', '!=', UNFINISHED)
    .executeTakeFirst();
  return row ? toStoredFile(row) : null;
}

/** Null when the file was removed meanwhile. */
async function readParts(db: Database, { id, byteCount }: StoredFile): Promise<Buffer | null> {
  const bytes = Buffer.alloc(byteCount);
  let filled = 0;
  for (let part = 0; filled < byteCount; part += 1) {
    const row = await db
      .selectFrom('stored_file_part')
      .select('content')
      .where('stored_file_id', '=', id)
      .where('part', '=', part)
      .executeTakeFirst();
    if (!row) return null;
    bytes.set(row.content, filled);
    filled += row.content.length;
  }
  return bytes;
}

function toStoredFile(row: Selectable<Tables['stored_file']>): StoredFile {
  return {
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    byteCount: Number(row.byte_count),
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}
