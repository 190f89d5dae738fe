import { z } from 'zod';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { cleanText } from './clean-text.ts';
import { countExcess, METADATA_LIMITS, sizeExcess } from './metadata-limits.ts';

const scalars = [z.string(), z.number(), z.boolean()] as const;
// One flat union: with a union inside a list inside a union, each value costs three times as much.
const value = z.union([...scalars, z.array(z.union(scalars))]);

/** Metadata as sent. Keys and values are counted before they are read: reading 600,000 of them takes seconds. */
export const incomingMetadata = z
  .preprocess(
    (sent, context) => {
      const excess = isObject(sent) ? countExcess(sent) : null;
      if (excess === null) return sent;
      context.addIssue(excess);
      return z.NEVER;
    },
    z.record(z.string(), value),
  )
  .nullish()
  .describe(
    `At most ${METADATA_LIMITS.keys} keys of ${METADATA_LIMITS.keyLength} characters, ${METADATA_LIMITS.listLength} values in a list, and 256 KB as JSON.`,
  )
  .transform((sent) => cleanMetadata(sent ?? {}))
  .superRefine((cleaned, context) => {
    const excess = sizeExcess(cleaned);
    if (excess !== null) context.addIssue(excess);
  });

function isObject(sent: unknown): sent is Record<string, unknown> {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent);
}

function cleanMetadata(sent: Readonly<Record<string, z.output<typeof value>>>): DocumentMetadata {
  return Object.fromEntries(
    Object.entries(sent).map(([key, own]) => [
      cleanText(key),
      Array.isArray(own) ? own.map(asText) : asText(own),
    ]),
  );
}

function asText(scalar: string | number | boolean): string {
  return cleanText(String(scalar));
}
