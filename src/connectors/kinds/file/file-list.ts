import { createHash } from 'node:crypto';
import { z } from 'zod';
import { metadataOf, readZipMetadata, type ZipMetadata } from '#src/files/unpack-zip.ts';
import { safeFileName } from '#src/files/safe-file-name.ts';
import type { StoredFileId } from '#src/ids.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import type { FileSettings } from './file-settings.ts';
import { splitMetadataLine } from './file-metadata.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/** The files that a connector names, in its order, without duplicates. */
export interface FileList {
  files: { id: StoredFileId; name: string | null }[];
  /** From the connector's zip metadata; empty if it has none. */
  described: ZipMetadata;
  /** Changes with everything in the settings that describes the file, except its content. */
  fingerprint(file: { name: string | null }): string;
}

/** @throws SourceRefused when the zip metadata file is gone or damaged */
export async function openFileList(
  settings: FileSettings,
  context: ConnectorContext,
): Promise<FileList> {
  const names = new Map(
    settings.file_locations.map((id, index) => [id, settings.file_names?.[index] ?? null]),
  );
  const { zip_metadata_file_id: metadataFileId, zip_metadata: given } = settings;
  return {
    files: [...names].map(([id, name]) => ({ id, name })),
    described: metadataFileId
      ? await readMetadataFile(metadataFileId, context)
      : metadataInSettings(given ?? {}),
    fingerprint({ name }) {
      const facts = JSON.stringify([name, metadataFileId ?? null, given ?? null]);
      return createHash('sha256').update(facts).digest('base64url');
    },
  };
}

async function readMetadataFile(id: StoredFileId, context: ConnectorContext): Promise<ZipMetadata> {
  const file = await context.files.read(id);
  if (file === null) {
    throw new SourceRefused(`zip_metadata_file_id: there is no file ${id}. Upload the zip again.`);
  }
  try {
    return readZipMetadata(file.name, file.bytes);
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    throw new SourceRefused(`zip_metadata_file_id: ${error.message}`, { cause: error });
  }
}

const keys = z.record(z.string(), z.unknown());

/** The older form: file name → metadata object. */
function metadataInSettings(given: Record<string, unknown>): ZipMetadata {
  return new Map(
    Object.entries(given).flatMap(([name, value]) => {
      const parsed = keys.safeParse(value);
      return parsed.success ? [[safeFileName(name), parsed.data] as const] : [];
    }),
  );
}

export interface OpenedFile {
  name: string;
  /** Without a metadata line. */
  bytes: Uint8Array;
  /** Merged from all sources; the more specific wins: zip metadata, upload, first line. */
  keys: Record<string, unknown>;
}

/**
 * Reads a file and its metadata; null when the file is gone.
 * @throws GiveUp when its first line holds broken metadata
 */
export async function openListedFile(
  { described }: Pick<FileList, 'described'>,
  { id, name: listedName }: FileList['files'][number],
  context: ConnectorContext,
): Promise<OpenedFile | null> {
  const stored = await context.files.read(id);
  if (stored === null) return null;
  const name = listedName ?? stored.name;
  const line = splitMetadataLine(stored.bytes);
  return {
    name,
    bytes: line?.rest ?? stored.bytes,
    keys: {
      ...line?.keys,
      ...stored.metadata,
      ...metadataOf(described, safeFileName(name)),
    },
  };
}
