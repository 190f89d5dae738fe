import type { IncomingMessage } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Problem } from '#src/platform/errors.ts';

/** A client that sends nothing for this long has disconnected or is malicious. */
const IDLE_MS = 30_000;
/** A body that is read into memory must be complete by then, however slowly it arrives. */
const TOTAL_MS = 300_000;
/** Stacked encodings multiply the work; nobody needs more than one, and two are tolerated. */
const MAX_ENCODINGS = 2;

/** RFC 9659 limits the zstd window that HTTP may require of a receiver to 8 MB. */
const ZSTD_OPTIONS = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(ZSTD_OPTIONS),
};

/**
 * The body's chunks, decompressed on demand: a small body that unpacks to gigabytes uses no more memory than its reader
 * keeps.
 * @throws Problem for an unknown encoding, corrupt data, a stalled or broken connection
 */
export async function* decodedChunks(
  request: IncomingMessage,
  { deadline }: { deadline: 'idle' | 'total' },
): AsyncGenerator<Buffer> {
  const encodings = encodingsOf(request);
  const raw = rawChunks(request, deadline === 'total' ? Date.now() + TOTAL_MS : Infinity);
  if (encodings.length === 0) {
    yield* raw;
    return;
  }
  const first = await raw.next();
  if (first.done) return; // an empty body needs no decoding, whatever its headers say
  try {
    yield* decode(startingWith(first.value, raw), encodings);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem(
      'BAD_REQUEST',
      `The body is not valid ${encodings.join(', ')} as Content-Encoding says: ${reason}.`,
      { cause: error },
    );
  }
}

/** The encodings in the order in which they were applied. */
function encodingsOf(request: IncomingMessage): string[] {
  const encodings = (request.headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const unknown = encodings.find((name) => !Object.hasOwn(DECODERS, name));
  if (unknown !== undefined || encodings.length > MAX_ENCODINGS) {
    throw new Problem(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding ${encodings.join(', ')} is not accepted. Send one of gzip, br, zstd, deflate or identity.`,
    );
  }
  return encodings;
}

async function* decode(raw: AsyncIterable<Buffer>, encodings: string[]): AsyncGenerator<Buffer> {
  let stream: Readable = Readable.from(raw, { objectMode: false });
  const opened: Readable[] = [stream];
  for (const encoding of encodings.toReversed()) {
    const decoder = DECODERS[encoding]?.();
    if (!decoder) continue; // encodingsOf only returns known ones
    stream.once('error', (error) => decoder.destroy(error));
    stream = stream.pipe(decoder);
    opened.push(stream);
  }
  try {
    for await (const chunk of stream) yield chunk as Buffer; // zlib streams carry buffers
  } finally {
    for (const one of opened) one.destroy();
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/**
 * The bytes as they arrive. Reads manually, because the iterator of a request, when left early, destroys the
 * connection, and with it the answer that explains why.
 */
async function* rawChunks(request: IncomingMessage, deadlineMs: number): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = request.read() as Buffer | null; // no encoding is set on a request
    if (chunk !== null) yield chunk;
    else if (request.readableEnded) return;
    else await nextChange(request, Math.min(IDLE_MS, deadlineMs - Date.now()));
  }
}

/** Resolves when there is something to read or the body has ended. */
function nextChange(request: IncomingMessage, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => () => {
      clearTimeout(timer);
      for (const [event, listener] of listeners) request.off(event, listener);
      finish();
    };
    const broken = settle(() =>
      reject(new Problem('BAD_REQUEST', 'The connection broke off before the body was complete.')),
    );
    const ready = settle(resolve);
    const stalled = settle(() =>
      reject(
        new Problem(
          'BAD_REQUEST',
          'The body arrived too slowly. Send it without pauses, or in smaller parts.',
        ),
      ),
    );
    const listeners = [
      ['readable', ready],
      ['end', ready],
      ['error', broken],
      ['close', broken],
    ] as const;
    const timer = setTimeout(stalled, Math.max(0, waitMs));
    for (const [event, listener] of listeners) request.on(event, listener);
    if (request.destroyed && !request.readableEnded) broken();
  });
}
