import { isUtf8 } from 'node:buffer';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { cutText } from './json-object.ts';
import { imageTypeOf } from './image-type.ts';

/** What a model sees of a response, and what a packet carries. */
const MAX_CHARACTERS = 30_000;
const MAX_LEVELS = 100;

/** Converts a service's response by its content. Images and tables become files. */
export type ServiceAnswer =
  | { type: 'json'; value: unknown; text: string }
  | { type: 'text'; text: string }
  | { type: 'csv'; bytes: Uint8Array; mediaType: 'text/csv'; text: string }
  | { type: 'image'; bytes: Uint8Array; mediaType: string };

/**
 * @param secrets removed, in case the service echoes what it was sent
 * @param isCut the response was truncated
 */
export function readServiceAnswer(
  body: { bytes: Uint8Array; mediaType: string; isCut: boolean },
  secrets: readonly string[],
): ServiceAnswer {
  const { bytes, isCut } = body;
  const image = imageTypeOf(bytes);
  if (image !== null && !isCut) return { type: 'image', bytes, mediaType: image };
  if (bytes.length === 0) return { type: 'text', text: '' };
  const isText = isCut ? isUtf8(bytes.subarray(0, bytes.length - 3)) : isUtf8(bytes);
  if (!isText || bytes.includes(0)) return { type: 'text', text: describeBinary(body) };
  const text = hideSecrets(new TextDecoder().decode(bytes), secrets);
  if (body.mediaType === 'text/csv') {
    return {
      type: 'csv',
      bytes: Buffer.from(text),
      mediaType: 'text/csv',
      text: shorten(text, isCut),
    };
  }
  return readText(text, isCut);
}

/** JSON if it is valid and short enough, otherwise text. */
export function readText(text: string, isCut: boolean = false): ServiceAnswer {
  const trimmed = text.trim();
  if (isCut || trimmed.length > MAX_CHARACTERS || !/^[[{]/.test(trimmed)) {
    return { type: 'text', text: shorten(text, isCut) };
  }
  try {
    const value: unknown = JSON.parse(trimmed);
    if (!isNestedDeeper(value, MAX_LEVELS)) return { type: 'json', value, text: trimmed };
  } catch {
    // Only the beginning looked like JSON.
  }
  return { type: 'text', text: shorten(text, isCut) };
}

/** Verbatim, and as escaped in JSON. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text);
}

/** Shorter secrets may be part of any word. */
const SHORTEST_SECRET = 6;

function shorten(text: string, isCut: boolean): string {
  const clean = text.toWellFormed().replaceAll('\0', '\uFFFD');
  if (clean.length <= MAX_CHARACTERS && !isCut) return clean;
  return `${cutText(clean, MAX_CHARACTERS)}\n[The answer was longer and is cut off here.]`;
}

function describeBinary({ bytes, mediaType }: { bytes: Uint8Array; mediaType: string }): string {
  return `[The answer is a file of the type ${mediaType || 'unknown'} with ${bytes.length} bytes. It cannot be shown.]`;
}
