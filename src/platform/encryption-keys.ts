import { createHash } from 'node:crypto';
import { z } from 'zod';

const KEY_BYTES = 32;

/** The first 8 hex digits of the key's SHA-256, which are part of every value the key has sealed. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** Keys in base64 or hex, separated by commas: the first seals, all of them open. */
export const encryptionKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => decodeKey(key.trim())))
  .refine((keys) => keys.every((key) => key.length === KEY_BYTES), {
    error:
      'must be 32 bytes in base64 or hex, or several such keys separated by commas; make one with: openssl rand -base64 32',
    abort: true,
  })
  .refine((keys) => new Set(keys.map(keyIdOf)).size === keys.length, 'names the same key twice');

function decodeKey(text: string): Buffer {
  return Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
}
