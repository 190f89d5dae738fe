/**
 * Magic bytes, in Latin-1, of the image types that every browser shows. SVG is excluded, because it may contain
 * scripts.
 */
const SIGNATURES: readonly [mediaType: string, signature: string][] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
];
const LONGEST_SIGNATURE = 12;

/** Detected from the content, ignoring headers and names. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, LONGEST_SIGNATURE)).toString('latin1');
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return SIGNATURES.find(([, signature]) => head.startsWith(signature))?.[0] ?? null;
}
