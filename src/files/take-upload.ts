import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { GiveUp, Problem } from '#src/platform/errors.ts';
import type { FileStore, NewFile, StoredFile } from './file-store.ts';
import { safeFileName } from './safe-file-name.ts';
import { unpackZip } from './unpack-zip.ts';

const ZIP_NAME = /\.zip$/i;
const ZIP_TYPES: readonly string[] = ['application/zip', 'application/x-zip-compressed'];

export interface UploadOptions {
  workspaceId: WorkspaceId;
  createdBy: UserId | null;
  /** True: a zip becomes one stored file per entry. False: it is stored as it is. */
  unzip: boolean;
}

/** The files that one upload has stored so far. */
export interface Upload {
  readonly files: readonly StoredFile[];
  /** The metadata file of the zip; null when there was none. */
  readonly zipMetadataFileId: StoredFileId | null;
  /** @throws Problem for a second or damaged zip, a file without a name or above the size limit */
  take(file: {
    name: string;
    mediaType: string;
    content: AsyncIterable<Uint8Array>;
  }): Promise<void>;
  /** Removes everything stored so far. */
  discard(): Promise<void>;
}

/** Starts an upload of files that belong together: either all of them are kept or none. */
export function beginUpload(store: FileStore, options: UploadOptions): Upload {
  const files: StoredFile[] = [];
  const stored: StoredFileId[] = [];
  let hasZip = false;
  let zipMetadataFileId: StoredFileId | null = null;

  const save = async (
    file: Pick<NewFile, 'name' | 'mediaType' | 'metadata'>,
    content: AsyncIterable<Uint8Array>,
  ): Promise<StoredFile> => {
    const saved = await store.save({ ...options, ...file }, content);
    stored.push(saved.id);
    return saved;
  };
  const unpack = async (zip: StoredFile): Promise<void> => {
    const read = await store.read(options.workspaceId, zip.id);
    if (read === null) throw new Error(`The upload ${zip.id} vanished while it was unpacked.`);
    const { metadataFile, files: entries } = await unpackZip({ name: zip.name, bytes: read.bytes });
    if (metadataFile !== null) {
      const described = { name: metadataFile.name, mediaType: 'application/json' };
      zipMetadataFileId = (await save(described, once(metadataFile.bytes))).id;
    }
    for await (const { name, bytes, metadata } of entries) {
      const entry = { name, mediaType: 'application/octet-stream', metadata };
      files.push(await save(entry, once(bytes)));
    }
    await store.remove(options.workspaceId, [zip.id]);
  };

  return {
    files,
    get zipMetadataFileId() {
      return zipMetadataFileId;
    },
    async take({ name: sentName, mediaType, content }) {
      const name = safeFileName(sentName);
      if (name === '') throw new Problem('BAD_REQUEST', 'A file has an empty name. Give it one.');
      const isZip = ZIP_NAME.test(name) || ZIP_TYPES.includes(mediaType);
      if (isZip && hasZip) {
        throw new Problem('BAD_REQUEST', `${name} is a second zip. Send one zip per request.`);
      }
      hasZip ||= isZip;
      const saved = await save({ name, mediaType }, content);
      if (!isZip || !options.unzip) files.push(saved);
      else await explainGiveUp(() => unpack(saved));
    },
    discard: () => store.remove(options.workspaceId, stored),
  };
}

/** A damaged archive is the caller's problem to fix. */
async function explainGiveUp(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    throw new Problem('BAD_REQUEST', error.message, { cause: error });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
