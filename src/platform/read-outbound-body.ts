import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { OutboundError } from './outbound.ts';

/** Nobody legitimately compresses twice; each further layer multiplies what a small body can unpack to. */
const MAX_CODINGS = 2;
/** 8 MB, the window limit of RFC 9659 for zstd as a content coding. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

export interface OutboundBody {
  bytes: Buffer;
  /** There was more, or the rest could not be read. */
  isCut: boolean;
}

/**
 * Reads the whole body and decodes its content codings (RFC 9110 §8.4). Reading stops as soon as the received or the
 * decoded bytes exceed `maxBytes`, so no more than that and one chunk is ever held. `body` is destroyed whenever it is
 * not read to its end.
 *
 * With `excess: 'cut'` nothing is thrown, not even for an abort by `signal`: the body is what could be read until then.
 * @throws OutboundError `too-large`, `network` for an unknown coding or damaged data; or the body's own error
 */
export async function readOutboundBody(
  body: Readable,
  options: {
    host: string;
    contentEncoding: string;
    maxBytes: number;
    excess: 'refuse' | 'cut';
    signal: AbortSignal;
  },
): Promise<OutboundBody> {
  const { host, maxBytes, signal } = options;
  const mayCut = options.excess === 'cut';
  const arrived = new Gauge(host, maxBytes);
  const unpacked = new Gauge(host, maxBytes);
  const chunks: Buffer[] = [];
  let isCut = false;
  async function* received(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* arrived.limit(source, mayCut);
    } catch (error) {
      if (!mayCut) throw error;
      // Unlike an error, an end lets the decoders flush what they hold.
      isCut = true;
    }
  }
  // An error without a reader must not end the process; the next read reports it.
  body.on('error', () => undefined);
  try {
    const decoders = decodersOf(options.contentEncoding, host);
    await pipeline(
      body,
      async (source: AsyncIterable<Buffer>) => {
        const decoded = decoders.reduce((inner, decode) => decode(inner), received(source));
        for await (const chunk of unpacked.limit(decoded, mayCut)) chunks.push(chunk);
      },
      { signal },
    );
  } catch (error) {
    body.destroy();
    // Some servers name a coding on an answer without a body.
    const isEmpty = isCodingError(error) && arrived.bytes === 0 && !isCut;
    if (!mayCut && !isEmpty) throw explainCodingError(error, host);
    isCut = !isEmpty;
  }
  if (isCut) body.destroy();
  return { bytes: Buffer.concat(chunks), isCut };
}

/** Counts bytes passing through, up to a limit. */
class Gauge {
  bytes = 0;
  readonly #host: string;
  readonly #maxBytes: number;

  constructor(host: string, maxBytes: number) {
    this.#host = host;
    this.#maxBytes = maxBytes;
  }

  /** @throws OutboundError `too-large` above the limit; if the body may be cut, first yields what was below it */
  async *limit(source: AsyncIterable<Buffer>, mayCut: boolean): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const room = this.#maxBytes - this.bytes;
      this.bytes += chunk.length;
      if (chunk.length <= room) {
        yield chunk;
        continue;
      }
      if (mayCut && room > 0) yield chunk.subarray(0, room);
      throw new OutboundError('too-large', `${this.#host} sent more than ${this.#maxBytes} bytes.`);
    }
  }
}

function explainCodingError(error: unknown, host: string): unknown {
  if (!isCodingError(error)) return error;
  return new OutboundError(
    'network',
    `${host} sent a compressed body that is cut off or damaged.`,
    { cause: error, code: codeOf(error) },
  );
}

type Decoder = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

/** In decoding order: the coding named last is the outermost. */
function decodersOf(contentEncoding: string, host: string): Decoder[] {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) {
    throw new OutboundError('too-large', `${host} compressed its answer ${codings.length} times.`);
  }
  return codings.toReversed().map((coding) => decoderOf(coding, host));
}

function decoderOf(coding: string, host: string): Decoder {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return (source) => decodeBy(createGunzip(), source);
    case 'deflate':
      return inflateEither;
    case 'br':
      return (source) => decodeBy(createBrotliDecompress(), source);
    case 'zstd':
      return (source) => decodeBy(createZstdDecompress({ params: ZSTD_PARAMS }), source);
    default:
      throw new OutboundError('network', `${host} used an unknown content coding.`);
  }
}

async function* decodeBy(
  decoder: Transform,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  // `pipeline` passes an error of the source to the decoder, and the loop throws it.
  const fed = pipeline(Readable.from(source), decoder).catch(() => undefined);
  // A decoder without an encoding yields buffers.
  yield* decoder as AsyncIterable<Buffer>;
  await fed;
}

/** `deflate` means the zlib format, but some servers send a raw deflate stream; the first byte distinguishes them. */
async function* inflateEither(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  async function* whole(): AsyncGenerator<Buffer> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const isZlib = ((first.value[0] ?? 0) & 0x0f) === 8;
  yield* decodeBy(isZlib ? createInflate() : createInflateRaw(), whole());
}

/** Codes of zlib, Brotli (`ERR__ERROR_FORMAT_…`) and zstd. */
function isCodingError(error: unknown): boolean {
  return /^Z_|^ERR__|^ZSTD_/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
