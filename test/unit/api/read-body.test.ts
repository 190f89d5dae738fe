import { createServer, request } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBody } from '#src/api/read-body.ts';

const LIMIT = 1_000;

/** Answers with the number of bytes read, or with the error message. */
const server = createServer((incoming, outgoing) => {
  openBody(incoming, async () => () => undefined)
    .bytes(LIMIT, 'MAX_BODY_BYTES')
    .then(
      ({ length }) => outgoing.end(String(length)),
      (error: unknown) => outgoing.end(String(error)),
    );
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends part of a body and waits for the response; without a length it is sent in chunks. */
async function answerTo(
  body: Buffer | string,
  headers: Record<string, string | number> = {},
): Promise<string> {
  const { port } = server.address() as AddressInfo; // listening on TCP
  const sent = request({ port, method: 'POST', headers: { connection: 'close', ...headers } });
  sent.on('error', () => undefined); // the server may hang up before it has read everything
  sent.write(body);
  if (headers['content-length'] === undefined) sent.end();
  const [answer] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
  sent.destroy();
  return text(answer);
}

describe('a request body', () => {
  it('of exactly the limit is read completely, with and without a length', async () => {
    const body = 'x'.repeat(LIMIT);
    expect(await answerTo(body)).toBe(String(LIMIT));
    expect(await answerTo(body, { 'content-length': LIMIT })).toBe(String(LIMIT));
  });

  it('one byte over the limit is refused, naming the limit and its setting', async () => {
    expect(await answerTo('x'.repeat(LIMIT + 1))).toMatch(
      /larger than 1000 bytes \(MAX_BODY_BYTES/,
    );
  });

  it('that declares a length over the limit is refused before it arrives', async () => {
    expect(await answerTo('x', { 'content-length': LIMIT + 1 })).toMatch(/larger than 1000 bytes/);
  });

  it('is measured after decompression', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    expect(await answerTo(gzipSync('x'.repeat(LIMIT)), gzip)).toBe(String(LIMIT));
    expect(await answerTo(gzipSync('x'.repeat(50 * LIMIT)), gzip)).toMatch(
      /larger than 1000 bytes/,
    );
  });
});
