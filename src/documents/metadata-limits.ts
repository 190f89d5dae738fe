import type { DocumentMetadata } from '#src/tables/documents.ts';

/** Of a document's metadata. They hold for every door; a connector cuts what its source has beyond them. */
export const METADATA_LIMITS = { keys: 1_000, bytes: 262_144, keyLength: 255, listLength: 1_000 };

/** Hits, chat packets and saved answers repeat the metadata of each document, so they carry no more than this. */
const SHOWN_LIMITS = { keys: 100, bytes: 8_192, keyLength: 255, listLength: 100 };
/** One long value must not take the place of all others. */
const SHOWN_VALUE_BYTES = 2_048;
/** Of a key in a sentence about it. */
const SHOWN_KEY_LENGTH = 50;

type Limits = typeof METADATA_LIMITS;

/** What is wrong with the size of metadata, as a sentence without its subject; null when it is within the limits. */
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

/** The metadata as far as it keeps the limits: its first keys, without those that are too long themselves. */
export function cutMetadata(metadata: DocumentMetadata): DocumentMetadata {
  return takeWhatFits(metadata, METADATA_LIMITS, METADATA_LIMITS.bytes);
}

/** What is shown of metadata instead of the whole; null when the whole is small enough. */
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
  // `__proto__` is a key like any other here.
  return Object.fromEntries(taken);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
