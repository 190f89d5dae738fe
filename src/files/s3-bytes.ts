import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { FileAddress, FileBytes } from './file-bytes.ts';
import { diskFullError } from './disk-full.ts';
import { readObjectListing } from './read-object-listing.ts';
import { createS3Bucket, type S3Bucket, type S3Settings } from './s3-bucket.ts';

/** Prefix of every key, because the bucket may hold other objects. */
const PREFIX = 'millrace-files/';
const KEY = /^millrace-files\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/;
const OWNER_ONLY = 0o600;

/**
 * Bytes as objects `millrace-files/<workspace id>/<file id>` of a bucket. An object appears complete or not at all: its
 * length and SHA-256 are part of the signed request.
 */
export function createS3Bytes(settings: S3Settings): FileBytes {
  const bucket = createS3Bucket(settings);
  return {
    async write(address, content) {
      // S3 needs the length first. Buffered on disk, since a slow client could hold much memory for a long time.
      const folder = await mkdtemp(path.join(tmpdir(), 'millrace-upload-'));
      try {
        const file = path.join(folder, 'content');
        const sha256 = await spool(file, content);
        await bucket.put(keyOf(address), await openAsBlob(file), sha256);
      } catch (error) {
        throw diskFullError(error) ?? error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async read(address, byteCount) {
      const bytes = await bucket.get(keyOf(address));
      return bytes?.length === byteCount ? bytes : null;
    },
    remove: (address) => bucket.remove(keyOf(address)),
    list: () => listBucket(bucket),
  };
}

function keyOf({ workspaceId, id }: FileAddress): string {
  return `${PREFIX}${workspaceId}/${id}`;
}

/** @returns the SHA-256 of the content, in hex */
async function spool(file: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await using handle = await open(file, 'w', OWNER_ONLY);
  await handle.writeFile(hashing(content, hash));
  return hash.digest('hex');
}

async function* hashing(
  content: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

async function* listBucket(bucket: S3Bucket): AsyncGenerator<FileAddress[]> {
  let token: string | null = null;
  do {
    const page = readObjectListing(await bucket.list(PREFIX, token));
    yield page.keys.flatMap((key) => {
      const [, workspaceId, id] = KEY.exec(key) ?? [];
      // Both are parts of a key that `keyOf` built from such ids.
      return workspaceId && id
        ? { workspaceId: workspaceId as WorkspaceId, id: id as StoredFileId }
        : [];
    });
    token = page.nextToken;
  } while (token !== null);
}
