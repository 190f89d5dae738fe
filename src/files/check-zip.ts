import { inflateZipEntry, readZipDirectory, type ZipFile } from './read-zip.ts';

/** What a document may unpack to. */
export const DOCUMENT_ZIP_LIMITS = { entries: 5_000, inflatedBytes: 200 * 1024 * 1024 };

/**
 * Proves that unpacking a zip container stays within bounds before a library unpacks it whole.
 * Sizes in the directory may lie, so each entry is inflated here up to its declared size.
 * @throws GiveUp when the container is damaged, a zip bomb, or of a variant that no document uses
 */
export async function checkZip(file: ZipFile): Promise<void> {
  for (const entry of readZipDirectory(file, DOCUMENT_ZIP_LIMITS)) {
    // In turn, so that one entry at a time is in memory.
    await inflateZipEntry(file, entry);
  }
}
