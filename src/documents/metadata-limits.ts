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
  const { keys, bytes, keyLength, listLength } = METADATA_LIMITS;
  const entries = Object.entries(metadata);
  if (entries.length > keys) return `has ${entries.length} keys; the limit is ${keys}`;
  for (const [key, value] of entries) {
    const name = JSON.stringify(key.slice(0, SHOWN_KEY_LENGTH));
    if (key.length > keyLength) {
      return `has a key of ${key.length} characters, ${name}…; the limit is ${keyLength}`;
    }
    if (Array.isArray(value) && value.length > listLength) {
      return `has ${value.length} values in ${name}; the limit is ${listLength}`;
    }
  }
  const size = jsonBytes(metadata);
  if (size > bytes) return `has ${size} bytes of JSON; the limit is ${bytes} (256 KB)`;
  return null;
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

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
