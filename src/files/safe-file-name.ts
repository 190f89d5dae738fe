const MAX_CHARACTERS = 500;

/**
 * A name that a client or an archive gave, as plain text: folders stay as `folder/name`, what leads out of them, roots,
 * drive letters and control characters go. Empty when nothing is left.
 */
export function safeFileName(name: string): string {
  const segments = name
    .replaceAll('\\', '/')
    // oxlint-disable-next-line no-control-regex -- these are what is to go
    .replaceAll(/[\u0000-\u001f\u007f]/g, '')
    .split('/')
    .map((segment) => segment.trim())
    .filter((segment) => !['', '.', '..'].includes(segment) && !/^[A-Za-z]:$/.test(segment));
  // The end says what kind of file it is.
  return segments.join('/').slice(-MAX_CHARACTERS).toWellFormed();
}
