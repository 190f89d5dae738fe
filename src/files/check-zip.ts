import { inflateZipEntry, readZipDirectory, type ZipFile } from './read-zip.ts';

/** Limits on the unpacked contents of a document. */
export const DOCUMENT_ZIP_LIMITS = { entries: 5_000, inflatedBytes: 200 * 1024 * 1024 };

/**
 * Verifies that a zip container stays within the limits before a library unpacks all of it. The sizes in the directory
 * may be false, so each entry is inflated here up to its declared size.
 * @throws GiveUp when the container is damaged, a zip bomb, or of a variant that no document uses
 */
export async function checkZip(file: ZipFile): Promise<void> {
  for (const entry of readZipDirectory(file, DOCUMENT_ZIP_LIMITS)) {
    // Sequentially, so that only one entry at a time is in memory.
    await inflateZipEntry(file, entry);
  }
}
