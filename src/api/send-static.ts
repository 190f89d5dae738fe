import { Problem } from '#src/platform/errors.ts';
import type { ApiContext } from './context.ts';
import type { ContentCoding, StaticContent } from './static-content.ts';

/** `Cache-Control` for addresses that change with their content, such as those with a hash. */
export const IMMUTABLE = 'max-age=31536000, immutable';
/** Cached, but revalidated each time: 304 while nothing has changed. */
export const REVALIDATED = 'no-cache';

/** Below this, compression saves no packet. */
const SMALLEST_CODED_BYTES = 1_024;
/** Images and fonts are already compressed. */
const CODED_TYPE = /^text\/|[/+](?:json|javascript|xml)$/;

/**
 * Answers GET or HEAD with the content in the client's preferred coding, or with 304 when the client has it already
 * (RFC 9110 §12.5.3, §13.1.2). Only for content without secrets: the length of compressed bytes reveals something about
 * them.
 * @throws Problem NOT_ACCEPTABLE when the client refuses every coding
 */
export async function sendStatic(
  ctx: ApiContext,
  content: StaticContent,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  ctx.vary('Accept-Encoding');
  ctx.type = content.type;
  const coding = chooseCoding(ctx, content);
  const { bytes, etag } = await content.encode(coding);
  ctx.status = 200;
  ctx.set({ 'X-Content-Type-Options': 'nosniff', ...headers, ETag: etag });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.body = bytes;
}

function chooseCoding(ctx: ApiContext, { size }: StaticContent): ContentCoding {
  const isWorthCoding = size >= SMALLEST_CODED_BYTES && CODED_TYPE.test(ctx.response.type);
  const bestFirst: ContentCoding[] = isWorthCoding
    ? ['br', 'gzip', 'identity']
    : ['identity', 'gzip', 'br'];
  // Without weights, the client accepts all its codings equally; Koa would use the first one named, which is gzip in
  // browsers.
  const weighs = ctx.get('Accept-Encoding').includes(';');
  const offered = weighs ? bestFirst : bestFirst.filter((coding) => ctx.acceptsEncodings(coding));
  const chosen = weighs ? ctx.acceptsEncodings(offered) : offered[0];
  const coding = bestFirst.find((offer) => offer === chosen);
  if (coding === undefined) {
    throw new Problem(
      'NOT_ACCEPTABLE',
      'The header Accept-Encoding refuses every coding. Accept one of br, gzip and identity.',
    );
  }
  return coding;
}
