/** First bytes of the images that every browser shows. SVG is none of them: it may hold scripts. */
const SIGNATURES: readonly [mediaType: string, signature: RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];
const LONGEST_SIGNATURE = 12;

/** By the content, whatever a header or a name says. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, LONGEST_SIGNATURE)).toString('latin1');
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0] ?? null;
}
