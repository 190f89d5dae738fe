import type { DocumentMetadata } from '#src/tables/documents.ts';

/** Limits of a document's metadata, however it is sent; a connector cuts what exceeds them. */
export const METADATA_LIMITS = { keys: 1_000, bytes: 262_144, keyLength: 255, listLength: 1_000 };

/** Limits for hits, chat packets and saved answers, each of which repeats the metadata of its documents. */
const SHOWN_LIMITS = { keys: 100, bytes: 8_192, keyLength: 255, listLength: 100 };
/** One long value must not crowd out all others. */
const SHOWN_VALUE_BYTES = 2_048;
/** Longest part of a key shown in an error. */
const SHOWN_KEY_LENGTH = 50;

type Limits = typeof METADATA_LIMITS;

/** How metadata exceeds the limits, as a sentence without its subject; null if it does not. */
export function metadataExcess(metadata: DocumentMetadata): string | null {
  return countExcess(metadata) ?? sizeExcess(metadata);
}

/** The part of `metadataExcess` that can be told before the values are read: they may be anything. */
export function countExcess(metadata: Readonly<Record<string, unknown>>): string | null {
  const { keys, keyLength, listLength } = METADATA_LIMITS;
  // Listing the values of very many keys would take longer than everything else.
  const count = Object.keys(metadata).length;
  if (count > keys) return `has ${count} keys; the limit is ${keys}`;
  for (const [key, value] of Object.entries(metadata)) {
    if (key.length > keyLength) {
      return `has a key of ${key.length} characters, ${shortName(key)}…; the limit is ${keyLength}`;
    }
    if (Array.isArray(value) && value.length > listLength) {
      return `has ${value.length} values in ${shortName(key)}; the limit is ${listLength}`;
    }
  }
  return null;
}

/** The other part: the size of what is stored. */
export function sizeExcess(metadata: DocumentMetadata): string | null {
  const { bytes } = METADATA_LIMITS;
  const size = jsonBytes(metadata);
  return size > bytes ? `has ${size} bytes of JSON; the limit is ${bytes} (256 KB)` : null;
}

/** The part of the metadata that is within the limits: its first entries, without those that are too long. */
export function cutMetadata(metadata: DocumentMetadata): DocumentMetadata {
  return takeWhatFits(metadata, METADATA_LIMITS, METADATA_LIMITS.bytes);
}

/** The part of the metadata to show; null if it is small enough to show as a whole. */
export function shownMetadata(metadata: DocumentMetadata): DocumentMetadata | null {
  if (jsonBytes(metadata) <= SHOWN_LIMITS.bytes) return null;
  return takeWhatFits(metadata, SHOWN_LIMITS, SHOWN_VALUE_BYTES);
}

function takeWhatFits(
  metadata: DocumentMetadata,
  limits: Limits,
  maxValueBytes: number,
): DocumentMetadata {
  const taken: [string, string | string[]][] = [];
  let room = limits.bytes - 2;
  for (const [key, value] of Object.entries(metadata)) {
    if (taken.length === limits.keys) break;
    const kept = Array.isArray(value) ? value.slice(0, limits.listLength) : value;
    const valueBytes = jsonBytes(kept);
    const bytes = jsonBytes(key) + valueBytes + 2;
    if (key.length > limits.keyLength || valueBytes > maxValueBytes || bytes > room) continue;
    taken.push([key, kept]);
    room -= bytes;
  }
  // With `fromEntries`, `__proto__` is an ordinary key.
  return Object.fromEntries(taken);
}

function shortName(key: string): string {
  return JSON.stringify(key.slice(0, SHOWN_KEY_LENGTH));
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
