import type { IncomingMessage } from 'node:http';
import { Problem } from '#src/platform/errors.ts';
import { decodedChunks } from './decode-body.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
const NEWLINE = 0x0a;
/** What error messages call the limit of a single route. */
export const ROUTE_LIMIT = 'the most that this endpoint takes';

/** A request body, decompressed while it is read. It can be read only once. */
export interface IncomingBody {
  /** Lower case, without parameters; `application/json` when the request names none. */
  readonly mediaType: string;
  /** The whole body. @throws Problem PAYLOAD_TOO_LARGE, calling the limit `name`, above `limit` decompressed bytes */
  bytes(limit: number, name: string): Promise<Buffer>;
  /**
   * The lines of a body of any length, without blank ones, separated by LF or CRLF. A line longer than `limitPerLine`
   * bytes is cut to `limitPerLine + 1`: too long to be mistaken for a complete one, and the following lines are still
   * read.
   */
  lines(limitPerLine: number): AsyncIterable<string>;
  /** The body as it arrives, of any length, for a reader that enforces its own limit. */
  chunks(): AsyncIterable<Buffer>;
}

/** Wraps a request's body; reads nothing until asked. */
export function openBody(request: IncomingMessage): IncomingBody {
  return {
    mediaType: mediaTypeOf(request),
    bytes: (limit, name) => readBytes(request, limit, name),
    lines: (limitPerLine) => splitLines(decodedChunks(request, { deadline: 'idle' }), limitPerLine),
    chunks: () => decodedChunks(request, { deadline: 'idle' }),
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

async function readBytes(request: IncomingMessage, limit: number, name: string): Promise<Buffer> {
  const isEncoded = (request.headers['content-encoding'] ?? 'identity') !== 'identity';
  if (!isEncoded && Number(request.headers['content-length'] ?? 0) > limit)
    throw tooLarge(limit, name);
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of decodedChunks(request, { deadline: 'total' })) {
    total += chunk.length;
    if (total > limit) throw tooLarge(limit, name);
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

async function* splitLines(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    const room = limit + 1 - length;
    if (room <= 0 || part.length === 0) return;
    parts.push(part.subarray(0, room));
    length += Math.min(room, part.length);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = textOf(parts);
      parts = [];
      length = 0;
      if (line !== '') yield line;
    }
    keep(chunk.subarray(start));
  }
  const last = textOf(parts);
  if (last !== '') yield last;
}

function textOf(parts: Buffer[]): string {
  const text = Buffer.concat(parts).toString('utf8');
  return text.trim() === '' ? '' : text.replace(/^\uFEFF/, '').replace(/\r$/, '');
}
