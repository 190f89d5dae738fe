import { z } from 'zod';
import { cleanText } from '#src/documents/clean-text.ts';

/** A list of texts as models write it: sometimes a single text without the list. */
export function textList(description: string) {
  return z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(z.string()).describe(description),
  );
}

/** Without blanks and duplicates; each text and their number are bounded. */
export function tidyTexts(
  texts: readonly string[],
  limits: { count: number; length: number },
): string[] {
  const tidied = new Map<string, string>();
  for (const text of texts) {
    const tidy = cleanText(text.trim().slice(0, limits.length));
    const key = tidy.toLowerCase();
    if (tidy !== '' && !tidied.has(key)) tidied.set(key, tidy);
  }
  return [...tidied.values()].slice(0, limits.count);
}
