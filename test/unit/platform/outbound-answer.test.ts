import { pipeline } from 'node:stream/promises';
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { expect, test } from 'vitest';
import { startFakeSource } from '#test/support/fake-source.ts';
import { callOut, openOutboundClient } from '#test/support/outbound-call.ts';
import { drip, startTcpServer } from '#test/support/tcp-server.ts';

const HEADERS = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['identity', (plain: Buffer) => plain],
])('%s is decompressed, limited in size, and must be complete', async (coding, compress) => {
  const plain = Buffer.from('Grüße! '.repeat(50_000));
  const packed = Buffer.from(compress(plain));
  await using source = await startFakeSource(({ url }) => ({
    headers: { 'content-encoding': coding },
    body: url.pathname === '/cut' ? packed.subarray(0, -9) : packed,
  }));
  expect((await callOut(source.url, { maxBytes: plain.length })).bytes.equals(plain)).toBe(true);
  await expect(callOut(source.url, { maxBytes: plain.length - 1 })).rejects.toMatchObject({
    kind: 'too-large',
  });
  if (coding !== 'identity') {
    await expect(callOut(`${source.url}/cut`)).rejects.toMatchObject({ kind: 'network' });
  }
});

test('two layers of compression are removed in order, and a third is refused', async () => {
  const twice = brotliCompressSync(gzipSync('deep'));
  await using source = await startFakeSource(({ url }) => ({
    headers: { 'content-encoding': url.pathname === '/2' ? 'gzip, br' : 'gzip, br, gzip' },
    body: twice,
  }));
  expect((await callOut(`${source.url}/2`)).text()).toBe('deep');
  await expect(callOut(`${source.url}/3`)).rejects.toMatchObject({ kind: 'too-large' });
});

test('an endless bomb is cut off at the limit', async () => {
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`);
    pipeline(zeros(), createGzip(), socket).catch(() => undefined);
  });
  await expect(callOut(server.url, { maxBytes: 50_000_000 })).rejects.toMatchObject({
    kind: 'too-large',
  });
  await server.untilIdle();
});

async function* zeros(): AsyncGenerator<Buffer> {
  const block = Buffer.alloc(1_000_000);
  for (;;) yield block;
}

test.each([
  ['damaged compression', { headers: { 'content-encoding': 'gzip' }, body: 'plain' }],
  ['an unknown coding', { headers: { 'content-encoding': 'lzma' }, body: 'plain' }],
])('%s is a network failure', async (_, answer) => {
  await using source = await startFakeSource(() => answer);
  await expect(callOut(source.url)).rejects.toMatchObject({ kind: 'network' });
});

test('a response without a body may name a coding and a length', async () => {
  await using source = await startFakeSource(({ url }) => ({
    status: Number(url.pathname.slice(1)),
    headers: { 'content-encoding': 'gzip', 'content-length': '0', etag: '"1"' },
  }));
  for (const status of [200, 204, 304]) {
    const response = await callOut(`${source.url}/${status}`);
    expect({ status: response.status, length: response.bytes.length }).toEqual({
      status,
      length: 0,
    });
  }
  await using lengthy = await startFakeSource(() => ({ body: 'five!' }));
  const head = await callOut(lengthy.url, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe('5');
  expect(head.bytes).toHaveLength(0);
});

test('headers that arrive slowly end at the deadline', async () => {
  await using server = await startTcpServer((socket) => {
    socket.write(HEADERS);
    drip(socket, (count) => socket.write(`x-${count}: y\r\n`));
  });
  await expect(callOut(server.url, { timeoutMs: 150 })).rejects.toMatchObject({ kind: 'timeout' });
  await server.untilIdle();
});

test('a body that arrives slowly ends at the deadline, even after a redirect', async () => {
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Length: 1000000\r\n\r\n`);
    drip(socket, () => socket.write('x'));
  });
  await using source = await startFakeSource(() => ({
    status: 302,
    headers: { location: server.url },
  }));
  const failure = callOut(source.url, { timeoutMs: 3_000 });
  await expect(failure).rejects.toMatchObject({ kind: 'timeout' });
  await expect(failure).rejects.toThrow('127.0.0.1 did not send its whole answer within 3 s.');
  await server.untilIdle();
});

test('a DNS lookup without an answer ends at the deadline', async () => {
  const client = openOutboundClient({ lookup: () => new Promise(() => undefined) });
  await expect(callOut('http://slow.example/', { timeoutMs: 100 }, client)).rejects.toMatchObject({
    kind: 'timeout',
  });
});

test('an endless body ends at the limit, and its connection is closed', async () => {
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pour = (): void => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  });
  await expect(callOut(server.url, { maxBytes: 1_000_000 })).rejects.toMatchObject({
    kind: 'too-large',
  });
  await server.untilIdle();
});

test.each([
  ['cut off before its declared length', `${HEADERS}Content-Length: 100\r\n\r\nhalf`],
  ['cut off between chunks', `${HEADERS}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
  ['cut off in its headers', HEADERS],
  ['not HTTP at all', 'SSH-2.0-OpenSSH_9.7\r\n'],
  ['nothing', ''],
])('a response that is %s is a network failure', async (_, answer) => {
  await using server = await startTcpServer((socket) => socket.end(answer));
  await expect(callOut(server.url)).rejects.toMatchObject({
    name: 'OutboundError',
    kind: 'network',
  });
});

test('a reset and a closed port are network failures that name the host', async () => {
  await using server = await startTcpServer((socket) => socket.resetAndDestroy());
  await expect(callOut(server.url)).rejects.toMatchObject({ kind: 'network' });
  const { url } = server;
  await server[Symbol.asyncDispose]();
  const failure = callOut(`${url}/path?token=secret`);
  await expect(failure).rejects.toThrow('127.0.0.1 refused the connection (ECONNREFUSED).');
});

test('headers above the limit are too large', async () => {
  await using source = await startFakeSource(() => ({ headers: { 'x-long': 'y'.repeat(50_000) } }));
  await expect(callOut(source.url)).rejects.toMatchObject({ kind: 'too-large' });
});

test('an abort during the body rejects with its reason and closes the connection', async () => {
  const begun = Promise.withResolvers<void>();
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Length: 1000000\r\n\r\n`);
    drip(socket, (count) => {
      socket.write('x');
      if (count === 3) begun.resolve();
    });
  });
  const stop = new AbortController();
  const reason = new Error('The run was cancelled.');
  // Longer than the test timeout, so only the abort can end it.
  const answer = callOut(server.url, { signal: stop.signal, timeoutMs: 600_000 });
  await begun.promise;
  stop.abort(reason);
  await expect(answer).rejects.toBe(reason);
  await server.untilIdle();
});

test('an abort before the headers, during the lookup, or before the call rejects with its reason', async () => {
  const reason = new Error('stop');
  const asked = Promise.withResolvers<void>();
  await using server = await startTcpServer(() => asked.resolve());
  const stop = new AbortController();
  const answer = callOut(server.url, { signal: stop.signal });
  await asked.promise;
  stop.abort(reason);
  await expect(answer).rejects.toBe(reason);
  await server.untilIdle();
  await expect(callOut(server.url, { signal: stop.signal })).rejects.toBe(reason);

  const stopLookup = new AbortController();
  const lookup = () => {
    stopLookup.abort(reason);
    return new Promise<never>(() => undefined);
  };
  const resolving = callOut(
    'http://a.example/',
    { signal: stopLookup.signal },
    openOutboundClient({ lookup }),
  );
  await expect(resolving).rejects.toBe(reason);
});
