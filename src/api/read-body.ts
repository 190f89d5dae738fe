import type { IncomingMessage } from 'node:http';
import { Problem } from '#src/platform/errors.ts';
import { SHORT_BODY_BYTES } from './body-room.ts';
import { decodedChunks } from './decode-body.ts';
import { type HeldLine, type HoldBytes, splitLines } from './split-lines.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
/** What error messages call the limit of a single route. */
export const ROUTE_LIMIT = 'the most that this endpoint takes';

/** A request body, decompressed while it is read. It can be read only once. */
export interface IncomingBody {
  /** Lower case, without parameters; `application/json` when the request names none. */
  readonly mediaType: string;
  /**
   * The whole body. A long one waits for room in the memory of the process, which it has until the request ends.
   * @throws Problem PAYLOAD_TOO_LARGE, calling the limit `name`, above `limit` decompressed bytes
   */
  bytes(limit: number, name: string): Promise<Buffer>;
  /**
   * The lines of a body of any length, without blank ones, separated by LF or CRLF. A line longer than `limitPerLine`
   * bytes is cut to `limitPerLine + 1`: too long to be mistaken for a complete one, and the following lines are still
   * read. Each line takes room of `hold` until it is dropped, and no more is read while there is none.
   */
  lines(limitPerLine: number, hold: HoldBytes): AsyncIterable<HeldLine>;
  /** The body as it arrives, of any length, for a reader that enforces its own limit and takes room for what it keeps. */
  chunks(): AsyncIterable<Buffer>;
  /** Takes room for what a reader of `chunks` keeps; given back at the end of the request at the latest. */
  readonly hold: HoldBytes;
}

/** Wraps a request's body; reads nothing until asked. */
export function openBody(request: IncomingMessage, hold: HoldBytes): IncomingBody {
  return {
    mediaType: mediaTypeOf(request),
    bytes: (limit, name) => readBytes(request, hold, { limit, name }),
    lines: (limitPerLine, holdLine) =>
      splitLines(decodedChunks(request, { deadline: 'idle' }), limitPerLine, holdLine),
    chunks: () => decodedChunks(request, { deadline: 'idle' }),
    hold,
  };
}

/** @throws Problem UNSUPPORTED_MEDIA_TYPE naming what is accepted */
export function requireMediaType(request: IncomingMessage, accepts: readonly string[]): void {
  const mediaType = mediaTypeOf(request);
  const isJson = accepts.includes('application/json') && JSON_TYPE.test(mediaType);
  if (!isJson && !accepts.includes(mediaType)) {
    throw new Problem(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Type ${mediaType} is not accepted here. Send ${accepts.join(' or ')}.`,
    );
  }
  const charset = /;\s*charset="?([^\s";]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem(
      'UNSUPPORTED_MEDIA_TYPE',
      `The charset ${charset} is not accepted. Send UTF-8.`,
    );
  }
}

/** True when the request announces a body, even an empty chunked one. */
export function announcesBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  );
}

function mediaTypeOf(request: IncomingMessage): string {
  const header = request.headers['content-type'] ?? '';
  const mediaType = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return mediaType === '' ? 'application/json' : mediaType;
}

async function readBytes(
  request: IncomingMessage,
  hold: HoldBytes,
  { limit, name }: { limit: number; name: string },
): Promise<Buffer> {
  const isEncoded = (request.headers['content-encoding'] ?? 'identity') !== 'identity';
  const announced = isEncoded ? 0 : Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit, name);
  let room = SHORT_BODY_BYTES;
  // For all of it before any is read: two bodies that each have half would wait for each other for ever.
  const makeRoom = async (bytes: number): Promise<void> => {
    await hold(bytes);
    room = bytes;
  };
  if (announced > room) await makeRoom(announced);
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of decodedChunks(request, { deadline: 'total' })) {
    total += chunk.length;
    if (total > limit) throw tooLarge(limit, name);
    if (total > room) await makeRoom(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, total);
}

function tooLarge(limit: number, name: string): Problem {
  return new Problem(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${limit} bytes (${name}, counted decompressed). Send less in one request.`,
  );
}
