const MAX_CHARACTERS = 500;

/**
 * Sanitizes a name given by a client or an archive: keeps folders as `folder/name`, and removes parent references,
 * roots, drive letters and control characters. Empty when nothing is left.
 */
export function safeFileName(name: string): string {
  const segments = name
    .replaceAll('\\', '/')
    // oxlint-disable-next-line no-control-regex -- these are what is to go
    .replaceAll(/[\u0000-\u001f\u007f]/g, '')
    .split('/')
    .map((segment) => segment.trim())
    .filter((segment) => !['', '.', '..'].includes(segment) && !/^[A-Za-z]:$/.test(segment));
  // Keep the end: the extension indicates the kind of file.
  return segments.join('/').slice(-MAX_CHARACTERS).toWellFormed();
}
