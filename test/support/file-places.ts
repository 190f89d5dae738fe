import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { createDatabaseBytes } from '#src/files/database-bytes.ts';
import { createDiskBytes } from '#src/files/disk-bytes.ts';
import type { FileBytes } from '#src/files/file-bytes.ts';
import {
  createFileStore,
  type FileLocation,
  type FileStore,
  type NewFile,
} from '#src/files/file-store.ts';
import { createS3Bytes } from '#src/files/s3-bytes.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import { type FakeS3, startFakeS3 } from './fake-s3.ts';
import type { TestServices } from './test-services.ts';

export const MAX_BYTES = 3_000_000;

/** All three file locations, empty, over the database of a stage. */
export interface FilePlaces extends AsyncDisposable {
  readonly places: Record<FileLocation, FileBytes>;
  readonly s3: FakeS3;
  /** Folder of the files on disk. */
  readonly folder: string;
  storeAt(location: FileLocation): FileStore;
  newFile(name?: string): NewFile;
  /** Everything stored in any location. */
  kept(): Promise<{ rows: number; parts: number; disk: string[]; s3: string[] }>;
}

export const NOTHING = { rows: 0, parts: 0, disk: [], s3: [] };

/** Disposing empties all locations. */
export async function openFilePlaces({ services, workspaceId }: TestServices): Promise<FilePlaces> {
  const { db } = services;
  const s3 = await startFakeS3();
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-files-'));
  const places = {
    database: createDatabaseBytes(db),
    disk: createDiskBytes({ folder }),
    s3: createS3Bytes({
      endpoint: s3.settings['S3_ENDPOINT'] ?? '',
      bucket: 'files',
      region: 'eu-test-1',
      accessKeyId: 'AKIDTEST',
      secretAccessKey: s3.settings['S3_SECRET_ACCESS_KEY'] ?? '',
      fetch: createOperatorFetch(),
      clock: () => new Date(),
    }),
  };
  return {
    places,
    s3,
    folder,
    storeAt: (location) => createFileStore(db, { places, location, maxBytes: MAX_BYTES }),
    newFile: (name = 'a.txt') => ({ workspaceId, createdBy: null, name, mediaType: 'text/plain' }),
    async kept() {
      const { rows } = await sql<{ rows: number; parts: number }>`
        select (select count(*)::int from stored_file) as rows,
          (select count(*)::int from stored_file_part) as parts`.execute(db);
      const disk = await readdir(folder, { recursive: true, withFileTypes: true });
      return {
        rows: rows[0]?.rows ?? -1,
        parts: rows[0]?.parts ?? -1,
        disk: disk.filter((entry) => entry.isFile()).map(({ name }) => name),
        s3: [...s3.objects.keys()],
      };
    },
    async [Symbol.asyncDispose]() {
      await sql`delete from stored_file`.execute(db);
      await sql`delete from connector`.execute(db);
      await s3[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function* chunksOf(bytes: Buffer, size = 70_001): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function* breaksOff(): AsyncGenerator<Buffer> {
  yield randomBytes(100_000);
  throw new Error('The client has gone away.');
}
