import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiContext } from './context.ts';

const pack = promisify(gzip);
/** Below this, packing saves no packet. */
const SMALLEST = 1_400;
/** Above this, packing takes longer than sending. */
const LARGEST = 1_000_000;
/** Fast rather than small: each answer is packed anew. */
const LEVEL = 4;

/**
 * Compresses what a page of the console reads. Programs with a key are not meant: they mostly sit beside the service.
 * Only reads, none of which shows a secret: beside a chosen text, a compressed secret could be guessed by its size
 * (BREACH).
 */
export async function packForPages(ctx: ApiContext): Promise<void> {
  const { body } = ctx;
  if (ctx.method !== 'GET' || ctx.get('Authorization') !== '' || typeof body !== 'string') return;
  if (body.length < SMALLEST || body.length > LARGEST) return;
  ctx.vary('Accept-Encoding');
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return;
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = await pack(body, { level: LEVEL });
}
