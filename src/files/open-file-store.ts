import path from 'node:path';
import type { Config } from '#src/platform/config.ts';
import type { Database } from '#src/platform/database.ts';
import { createDatabaseBytes } from './database-bytes.ts';
import { createDiskBytes } from './disk-bytes.ts';
import type { FileBytes } from './file-bytes.ts';
import { createFileStore, type FileLocation, type FileStore } from './file-store.ts';
import { createS3Bytes } from './s3-bytes.ts';
import { sweepFiles } from './sweep-files.ts';

interface FileServices {
  db: Database;
  /** For addresses that the operator configures. */
  operatorFetch: typeof globalThis.fetch;
  clock: () => Date;
}

/** The file store and its cleanup. */
export interface OpenFiles {
  files: FileStore;
  sweepFiles: (signal: AbortSignal) => Promise<{ rows: number; bytes: number }>;
}

/**
 * Chooses where new files go: the bucket when `S3_BUCKET` is set; otherwise the disk in the embedded size, and the
 * database on a server. Existing files stay readable wherever they are.
 */
export function openFileStore(config: Config, services: FileServices): OpenFiles {
  const places: Record<FileLocation, FileBytes | null> = {
    database: createDatabaseBytes(services.db),
    // Several servers share no disk, so their DATA_DIR does not hold this installation's files.
    disk:
      config.size === 'embedded'
        ? createDiskBytes({ folder: path.join(config.DATA_DIR, 'files') })
        : null,
    s3: openS3(config, services),
  };
  const own: FileLocation = config.size === 'embedded' ? 'disk' : 'database';
  const location = places.s3 === null ? own : 's3';
  const files = createFileStore(services.db, {
    places,
    location,
    maxBytes: config.MAX_FILE_BYTES,
  });
  return { files, sweepFiles: (signal) => sweepFiles(services.db, places, signal) };
}

function openS3(config: Config, { operatorFetch, clock }: FileServices): FileBytes | null {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION } = config;
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) return null;
  return createS3Bytes({
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET,
    region: S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    fetch: operatorFetch,
    clock,
  });
}
