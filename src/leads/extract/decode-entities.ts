import { parseHtmlTree, rawText } from '#src/files/html-tree.ts';

const ENTITY = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/i;

/** Replaces HTML character references, including doubly escaped ones; everything else stays. */
export function decodeEntities(text: string): string {
  let decoded = text;
  for (let round = 0; round < 2 && ENTITY.test(decoded); round += 1) {
    decoded = rawText(parseHtmlTree(decoded.replaceAll('<', '&lt;')));
  }
  return decoded;
}

/** The text of an HTML fragment found where plain text is expected. */
export function plainText(fragment: string): string {
  const decoded = decodeEntities(fragment);
  return /<[a-z/!]/i.test(decoded)
    ? rawText(parseHtmlTree(decoded.replaceAll('<', ' <')))
    : decoded;
}
