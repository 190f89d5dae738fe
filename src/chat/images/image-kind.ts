/** A raster image that browsers show. */
export interface ImageKind {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  extension: 'png' | 'jpg' | 'webp' | 'gif';
}

/** By its first bytes; null for everything else, whatever its name says. */
export function imageKindOf(bytes: Uint8Array): ImageKind | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString(
    'latin1',
  );
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return { mediaType: 'image/png', extension: 'png' };
  if (head.startsWith('\xff\xd8\xff')) return { mediaType: 'image/jpeg', extension: 'jpg' };
  if (/^RIFF[^]{4}WEBP/.test(head)) return { mediaType: 'image/webp', extension: 'webp' };
  if (/^GIF8[79]a/.test(head)) return { mediaType: 'image/gif', extension: 'gif' };
  return null;
}
