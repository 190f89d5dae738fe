import { z } from 'zod';
import { findMasked, maskSecrets, restoreMasked } from '#src/platform/mask-secrets.ts';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';

const MAX_HEADERS = 50;
/** Headers that define the recipient or the framing of a request cannot be set. */
const FORBIDDEN =
  /^(?:host|connection|content-length|transfer-encoding|expect|te|trailer|upgrade|keep-alive|proxy-.*|mcp-.*)$/i;

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Allowed characters of a header value (RFC 9110 §5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const headerSchema = z.strictObject({
  key: z
    .string()
    .max(100)
    .regex(NAME, 'must be the name of a header, such as X-Api-Key')
    .refine((name) => !FORBIDDEN.test(name), 'is a header that cannot be set'),
  value: z.string().max(8_000).regex(VALUE, 'must be one line without letters beyond Latin-1'),
});
export type CustomHeader = z.output<typeof headerSchema>;

export const headersSchema = z
  .array(headerSchema)
  .max(MAX_HEADERS)
  .refine(
    (headers) => new Set(headers.map(({ key }) => key.toLowerCase())).size === headers.length,
    'must name each header once',
  );

/** The headers with their values masked. */
export function maskHeaders(headers: readonly CustomHeader[]): CustomHeader[] {
  return headers.map(({ key, value }) => ({ key, value: String(maskSecrets({ value })['value']) }));
}

/**
 * Restores the stored value of each header that is sent back as it was shown.
 * @throws Problem BAD_REQUEST for any other value that looks masked
 */
export function restoreHeaders(
  sent: readonly CustomHeader[],
  stored: readonly CustomHeader[],
): CustomHeader[] {
  const known = new Map(stored.map(({ key, value }) => [key.toLowerCase(), value]));
  return sent.map(({ key, value }, index) => {
    const before = known.get(key.toLowerCase());
    const restored = before === undefined ? { value } : restoreMasked({ value }, { value: before });
    const isStored = before !== undefined && restored['value'] === before;
    if (!isStored && findMasked(restored) !== null) {
      throw new Problem(
        'BAD_REQUEST',
        `body headers [${index}] (${key}): looks like a masked value. Send the value itself, or its masked value exactly as it is currently shown.`,
      );
    }
    return { key, value: String(restored['value']) };
  });
}

/** @param rowName the row that they belong to, such as `custom_tool:1000` */
export function sealHeaders(
  secrets: ChatServices['secrets'],
  rowName: string,
  headers: readonly CustomHeader[],
): string | null {
  return headers.length === 0 ? null : secrets.seal(JSON.stringify(headers), rowName);
}

/** @throws UnreadableSecret when they were sealed with another key */
export function openHeaders(
  secrets: ChatServices['secrets'],
  rowName: string,
  sealed: string | null,
): CustomHeader[] {
  if (sealed === null) return [];
  // They were valid headers when sealed, and cannot have changed since.
  return JSON.parse(secrets.open(sealed, rowName)) as CustomHeader[];
}

/** Null when they cannot be decrypted with the current key. */
export function openReadableHeaders(...row: Parameters<typeof openHeaders>): CustomHeader[] | null {
  try {
    return openHeaders(...row);
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

/** Only headers that may be set: headers sent by a caller arrive unchecked. */
export function callableHeaders(headers: Readonly<Record<string, string>>): CustomHeader[] {
  return Object.entries(headers)
    .map(([key, value]) => headerSchema.safeParse({ key, value }))
    .flatMap(({ data }) => (data ? [data] : []))
    .slice(0, MAX_HEADERS);
}

/** Secrets that must never be repeated: each value, and the token after a scheme such as `Bearer`. */
export function secretsOf(headers: readonly CustomHeader[]): string[] {
  return headers.flatMap(({ value }) => [value, ...value.split(' ').slice(1)]);
}
