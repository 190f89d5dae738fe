import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '#src/platform/errors.ts';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** @throws Problem BAD_REQUEST for an invalid key, such as an empty one */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new Problem(
    'BAD_REQUEST',
    'The header Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces. Send a UUID, or leave it out.',
  );
}
