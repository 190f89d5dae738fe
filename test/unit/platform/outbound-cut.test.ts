import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startFakeSource } from '#test/support/fake-source.ts';
import { callOut, openOutboundClient } from '#test/support/outbound-call.ts';
import { drip, startTcpServer } from '#test/support/tcp-server.ts';

const HEADERS = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const cut = { excess: 'cut', maxBytes: 1_000 } as const;

test('an endless body is cut exactly at the limit, and its connection is closed', async () => {
  let poured = 0;
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pour = (): void => {
      do poured += chunk.length;
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  });
  const response = await callOut(server.url, cut);
  expect(response).toMatchObject({ status: 200, isCut: true });
  expect(response.text()).toBe('x'.repeat(1_000));
  await server.untilIdle();
  expect(poured).toBeLessThan(20_000_000);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['identity', (plain: Buffer) => plain],
])(
  '%s that decompresses to more than the limit is cut there, and complete below it',
  async (coding, pack) => {
    const plain = Buffer.from('0123456789'.repeat(100_000));
    await using source = await startFakeSource(({ url }) => ({
      headers: { 'content-encoding': coding },
      body: Buffer.from(pack(url.pathname === '/exact' ? plain.subarray(0, 1_000) : plain)),
    }));
    const long = await callOut(source.url, cut);
    expect({ isCut: long.isCut, text: long.text() }).toEqual({
      isCut: true,
      text: '0123456789'.repeat(100),
    });
    const exact = await callOut(`${source.url}/exact`, cut);
    expect({ isCut: exact.isCut, length: exact.bytes.length }).toEqual({
      isCut: false,
      length: 1_000,
    });
  },
);

test.each([
  ['below its length', `${HEADERS}Content-Length: 100\r\n\r\nhalf`],
  ['between chunks', `${HEADERS}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
  ['by an invalid chunk', `${HEADERS}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n`],
])('a body that breaks off %s returns what had arrived', async (_, answer) => {
  await using server = await startTcpServer((socket) => socket.end(answer));
  const response = await callOut(server.url, cut);
  expect(response).toMatchObject({ status: 200, isCut: true });
  expect(response.text()).toBe('half');
});

test('a reset after the head returns only the status', async () => {
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Length: 100\r\n\r\n`, () => socket.resetAndDestroy());
  });
  expect(await callOut(server.url, cut)).toMatchObject({ status: 200, isCut: true });
});

test('truncated compression returns what can be decompressed, and invalid data returns nothing', async () => {
  const plain = Array.from({ length: 90 }, (_, index) => `line ${index}`).join('\n');
  const packed = gzipSync(plain);
  const bodies: Record<string, Buffer> = {
    '/cut': packed.subarray(0, -9),
    '/damaged': Buffer.from('plain'),
  };
  await using source = await startFakeSource(({ url }) => ({
    headers: { 'content-encoding': url.pathname === '/unknown' ? 'lzma' : 'gzip' },
    body: bodies[url.pathname] ?? 'x',
  }));
  const response = await callOut(`${source.url}/cut`, cut);
  expect(response.isCut).toBe(true);
  expect(plain.startsWith(response.text()) && response.bytes.length > 100).toBe(true);
  for (const path of ['/damaged', '/unknown']) {
    const damaged = await callOut(`${source.url}${path}`, cut);
    expect(damaged).toMatchObject({ status: 200, isCut: true });
    expect(damaged.bytes).toHaveLength(0);
  }
});

test('a connection that breaks during compression still returns what can be decompressed', async () => {
  const packed = gzipSync(Buffer.from('0123456789'.repeat(50)), { level: 0 });
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`);
    socket.end(packed.subarray(0, 300));
  });
  const response = await callOut(server.url, cut);
  expect(response.isCut).toBe(true);
  expect(response.bytes.length).toBeGreaterThan(200);
});

test('a body that is incomplete at the deadline is cut there, and its connection is closed', async () => {
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Length: 1000000\r\n\r\n`);
    drip(socket, () => socket.write('x'));
  });
  const response = await callOut(server.url, { ...cut, timeoutMs: 200 });
  expect(response).toMatchObject({ status: 200, isCut: true });
  expect(response.text()).toMatch(/^x+$/);
  await server.untilIdle();
});

test('errors before the head stay errors, since there is nothing to cut', async () => {
  await using silent = await startTcpServer(() => undefined);
  await expect(callOut(silent.url, { ...cut, timeoutMs: 100 })).rejects.toMatchObject({
    kind: 'timeout',
  });
  await using halfHead = await startTcpServer((socket) => socket.end(HEADERS));
  await expect(callOut(halfHead.url, cut)).rejects.toMatchObject({ kind: 'network' });
});

test('an abort by the caller during a body that may be cut rejects with its reason', async () => {
  const begun = Promise.withResolvers<void>();
  await using server = await startTcpServer((socket) => {
    socket.write(`${HEADERS}Content-Length: 1000000\r\n\r\n`);
    drip(socket, (count) => {
      socket.write('x');
      if (count === 3) begun.resolve();
    });
  });
  const stop = new AbortController();
  const reason = new Error('The worker stops.');
  const answer = callOut(server.url, { ...cut, signal: stop.signal });
  await begun.promise;
  stop.abort(reason);
  await expect(answer).rejects.toBe(reason);
  await server.untilIdle();
});

test('a complete body is not cut, and its connection is reused', async () => {
  await using server = await startTcpServer((socket) => {
    const answer = `${HEADERS}Content-Length: 2\r\n\r\nok`;
    socket.write(answer);
    socket.on('data', () => socket.write(answer));
  });
  const client = openOutboundClient();
  for (let index = 0; index < 5; index += 1) {
    expect(await callOut(server.url, cut, client)).toMatchObject({ status: 200, isCut: false });
  }
  expect(server.connections).toBeLessThanOrEqual(2);
});
