import { DOCUMENT_ZIP_LIMITS } from './check-zip.ts';
import { inflateZipEntry, readZipDirectory, type ZipFile } from './read-zip.ts';

/** Parts of a container by their path. */
export type ZipParts = ReadonlyMap<string, Buffer>;

/**
 * Unpacks the wanted parts of a document that is a zip container.
 * @throws GiveUp when the container is damaged or one of its parts unpacks beyond the limits
 */
export async function unzipParts(
  file: ZipFile,
  wanted: (path: string) => boolean,
): Promise<ZipParts> {
  const parts = new Map<string, Buffer>();
  for (const entry of readZipDirectory(file, DOCUMENT_ZIP_LIMITS)) {
    if (wanted(entry.name)) parts.set(entry.name, await inflateZipEntry(file, entry));
  }
  return parts;
}
