import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { OutboundError } from '#src/platform/http.ts';
import { explainOutboundFailure } from '#src/platform/explain-outbound-failure.ts';
import { callOut, openOutboundClient } from '#test/support/outbound-call.ts';
import { startTcpServer } from '#test/support/tcp-server.ts';

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('It failed.', { cause }), { code });

test('the code is that of the explained cause, however deeply nested', () => {
  const inner = new AggregateError([withCode('ECONNREFUSED')], 'all failed');
  expect(
    explainOutboundFailure(new TypeError('fetch failed', { cause: inner }), 'h'),
  ).toMatchObject({
    kind: 'network',
    code: 'ECONNREFUSED',
    message: 'h refused the connection (ECONNREFUSED).',
  });
  expect(explainOutboundFailure(withCode('UND_ERR_INFO', withCode('EAI_AGAIN')), 'h').code).toBe(
    'EAI_AGAIN',
  );
});

test('the address that was reached determines the reason, whatever the order', () => {
  const noWay = withCode('ENETUNREACH');
  const refused = withCode('ECONNREFUSED');
  const together = (...errors: Error[]): Error =>
    Object.assign(new AggregateError(errors), { code: 'ENETUNREACH' });
  for (const error of [together(noWay, refused), together(refused, noWay)]) {
    expect(explainOutboundFailure(error, 'h').code).toBe('ECONNREFUSED');
  }
  expect(explainOutboundFailure(together(noWay, noWay), 'h').code).toBe('ENETUNREACH');
});

test('an unknown code is kept, and a missing one is empty', () => {
  expect(explainOutboundFailure(withCode('E_NEW'), 'h')).toMatchObject({
    kind: 'network',
    code: 'E_NEW',
    message: 'h could not be called: It failed.',
  });
  expect(explainOutboundFailure(new Error('It failed.'), 'h').code).toBe('');
  expect(explainOutboundFailure(Object.assign(new Error('x'), { code: undefined }), 'h').code).toBe(
    '',
  );
  expect(explainOutboundFailure('odd', 'h')).toMatchObject({ code: '', kind: 'network' });
  const own = new OutboundError('refused', 'no', { code: 'OWN' });
  expect(explainOutboundFailure(new Error('outer', { cause: own }), 'h')).toBe(own);
});

test.each(['ENOTFOUND', 'EAI_AGAIN'])(
  'a hostname that fails with %s keeps that code',
  async (code) => {
    const client = openOutboundClient({ lookup: () => Promise.reject(withCode(code)) });
    const failure = callOut('https://gone.example/', {}, client);
    await expect(failure).rejects.toMatchObject({ kind: 'network', code });
    await expect(failure).rejects.toThrow('DNS');
  },
);

test('a closed port, a reset and an early end are reported by their codes', async () => {
  const closed = await startTcpServer(() => undefined);
  await closed[Symbol.asyncDispose]();
  await expect(callOut(closed.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await using reset = await startTcpServer((socket) => socket.resetAndDestroy());
  await expect(callOut(reset.url)).rejects.toMatchObject({ code: 'ECONNRESET' });
  await using early = await startTcpServer((socket) => socket.destroy());
  await expect(callOut(early.url)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
});

test('a proxy that refuses the connection is distinguished from the requested host', async () => {
  const closed = await startTcpServer(() => undefined);
  await closed[Symbol.asyncDispose]();
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const client = openOutboundClient({ proxyUrl: closed.url, lookup });
  for (const url of ['http://good.example/', 'https://good.example/']) {
    const failure = callOut(url, {}, client);
    await expect(failure).rejects.toMatchObject({ kind: 'network', code: 'UND_ERR_PRX_CONN' });
    await expect(failure).rejects.toThrow('because the proxy');
  }
});

test('a connection that is not established in time has its own timeout', async () => {
  // The TLS handshake is part of connecting; this server never answers it.
  await using server = await startTcpServer(() => undefined);
  const url = server.url.replace('http:', 'https:');
  const failure = callOut(url, {}, openOutboundClient({ connectTimeoutMs: 100 }));
  await expect(failure).rejects.toMatchObject({ kind: 'timeout', code: 'UND_ERR_CONNECT_TIMEOUT' });
  await expect(failure).rejects.toThrow('127.0.0.1 did not accept a connection in time');
  await server.untilIdle();
  const whole = callOut(server.url, { timeoutMs: 100 }, openOutboundClient());
  await expect(whole).rejects.toMatchObject({ kind: 'timeout', code: '' });
});

test('a lookup that hangs counts toward connecting, too', async () => {
  const lookup = () => new Promise<never>(() => undefined);
  const client = openOutboundClient({ connectTimeoutMs: 100, lookup });
  await expect(callOut('https://slow.example/', {}, client)).rejects.toMatchObject({
    code: 'UND_ERR_CONNECT_TIMEOUT',
  });
});

test('an untrusted certificate and a server without TLS are reported as such', async () => {
  const port = await startTlsServer();
  const selfSigned = callOut(`https://127.0.0.1:${port}/`);
  await expect(selfSigned).rejects.toMatchObject({
    kind: 'network',
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  await expect(selfSigned).rejects.toThrow('offered no trustworthy TLS connection');
  await using plain = await startTcpServer((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
  const noTls = callOut(plain.url.replace('http:', 'https:'));
  await expect(noTls).rejects.toThrow('offered no trustworthy TLS connection');
  await expect(noTls).rejects.toMatchObject({ kind: 'network' });
});

test('more origins than the limit are still served', async () => {
  await using server = await startTcpServer((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const client = openOutboundClient({ maxOrigins: 3, lookup });
  const calls = Array.from({ length: 10 }, (_, index) =>
    callOut(server.url.replace('127.0.0.1', `n${index}.example`), {}, client),
  );
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(10).fill(200));
});

async function startTlsServer(): Promise<number> {
  const read = (name: string) =>
    readFile(new URL(`../../fixtures/tls/localhost-${name}.pem`, import.meta.url));
  const server = createServer({ key: await read('key'), cert: await read('cert') });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // a server listening on TCP has an address with a port
  return (server.address() as AddressInfo).port;
}
