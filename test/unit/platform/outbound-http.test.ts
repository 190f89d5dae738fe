import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startFakeSource } from '#test/support/fake-source.ts';
import { callOut, openOutboundClient } from '#test/support/outbound-call.ts';
import { startTcpServer } from '#test/support/tcp-server.ts';

const HEADERS = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** Every hostname resolves to the local server. */
const toLoopback = async () => [{ address: '127.0.0.1', family: 4 }];

test.each([
  'http://127.0.0.1:9999/',
  'http://localhost:9999/',
  'https://localhost:9999/',
  'http://2130706433/',
  'http://[::ffff:7f00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
])('%s is refused before anything is sent', async (url) => {
  await expect(callOut(url, {}, openOutboundClient({ allowCidrs: [] }))).rejects.toMatchObject({
    kind: 'refused',
  });
});

test.each([
  ['ftp://example.com/', 'begins with ftp:'],
  ['file:///etc/passwd', 'begins with file:'],
  ['http://me:hunter2@example.com/', 'contains a user name or password'],
  ['http://example.com:25/', 'names port 25'],
  ['//example.com', 'is not a URL'],
])('%s is refused with the reason, without its secrets', async (url, reason) => {
  const failure = callOut(url);
  await expect(failure).rejects.toMatchObject({ kind: 'refused' });
  await expect(failure).rejects.toThrow(reason);
  await expect(failure).rejects.not.toThrow('hunter2');
});

test('a hostname is resolved once per connection, and each new answer is vetted again', async () => {
  await using source = await startFakeSource(() => ({ headers: { connection: 'close' } }));
  const answers = ['127.0.0.1', '10.0.0.1'];
  const lookup = async () => [{ address: answers.shift() ?? '10.0.0.2', family: 4 }];
  const client = openOutboundClient({ lookup });
  const url = source.url.replace('127.0.0.1', 'rebind.example');
  expect((await callOut(url, {}, client)).status).toBe(200);
  expect(answers).toEqual(['10.0.0.1']);
  await expect(callOut(url, {}, client)).rejects.toMatchObject({ kind: 'refused' });
  expect(source.requests).toHaveLength(1);
});

test.each([
  'http://10.0.0.1/',
  'http://[::1]/',
  'http://0x7f000002/',
  'http://internal.example/',
  'file:///etc/passwd',
  'http://a:b@127.0.0.1/',
  'http://127.0.0.1:22/',
])('a chain of redirects ending at %s is refused', async (location) => {
  await using source = await startFakeSource(({ url }) =>
    url.pathname === '/first'
      ? { status: 302, headers: { location: '/second' } }
      : { status: 307, headers: { location } },
  );
  const lookup = async () => [{ address: '192.168.0.7', family: 4 }];
  await expect(
    callOut(`${source.url}/first`, {}, openOutboundClient({ lookup })),
  ).rejects.toMatchObject({
    kind: 'refused',
  });
  expect(source.requests.map(({ url }) => url.pathname)).toEqual(['/first', '/second']);
});

test('a redirect to another origin sends no credentials, whatever the name of the header', async () => {
  await using other = await startFakeSource(() => ({ body: 'there' }));
  await using source = await startFakeSource(({ url }) => ({
    status: 302,
    headers: { location: url.pathname === '/near' ? '/far' : `${other.url}/there` },
  }));
  const headers = {
    Authorization: 'Bearer secret',
    Cookie: 'session=secret',
    'X-Api-Key': 'secret',
    Accept: 'text/html',
    'If-None-Match': '"1"',
  };
  const response = await callOut(`${source.url}/near`, { headers });
  expect(response).toMatchObject({ status: 200, url: `${other.url}/there` });
  expect(source.requests[1]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    cookie: 'session=secret',
    'x-api-key': 'secret',
  });
  expect(JSON.stringify(other.requests[0]?.headers)).not.toContain('secret');
  expect(other.requests[0]?.headers).toMatchObject({ accept: 'text/html', 'if-none-match': '"1"' });
});

test.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', 'body'],
  [308, 'POST', 'body'],
])('after %i a POST becomes a %s', async (status, method, body) => {
  await using source = await startFakeSource(({ url }) =>
    url.pathname === '/' ? { status, headers: { location: '/next#part' } } : {},
  );
  const headers = { 'content-type': 'text/plain' };
  const response = await callOut(source.url, { method: 'POST', headers, body: 'body' });
  expect(response.url).toBe(`${source.url}/next`);
  expect(source.requests[1]).toMatchObject({ method, body });
  expect(source.requests[1]?.headers['content-type']).toBe(body ? 'text/plain' : undefined);
});

test('an endless chain of redirects ends at the limit', async () => {
  await using source = await startFakeSource(() => ({ status: 302, headers: { location: '/' } }));
  await expect(callOut(source.url)).rejects.toMatchObject({ kind: 'too-many-redirects' });
  expect(source.requests).toHaveLength(6);
});

test('a redirect is returned as it is with a limit of 0, or without a location', async () => {
  await using source = await startFakeSource(({ url }) => ({
    status: 302,
    headers: url.pathname === '/' ? { location: 'http://10.0.0.1/' } : {},
    body: 'moved',
  }));
  const response = await callOut(source.url, { maxRedirects: 0 });
  expect(response.headers.get('location')).toBe('http://10.0.0.1/');
  expect((await callOut(`${source.url}/nowhere`)).text()).toBe('moved');
});

test('response headers may contain any byte', async () => {
  await using server = await startTcpServer((socket) => {
    socket.end(Buffer.from(`${HEADERS}X-Name: Grüße\r\nX-Name: b\r\nContent-Length: 2\r\n\r\nok`));
  });
  const { headers } = await callOut(server.url);
  expect(Buffer.from(headers.get('x-name') ?? '', 'latin1').toString()).toBe('Grüße, b');
});

test('an unsendable header is refused by name, without its value', async () => {
  const failure = callOut('http://127.0.0.1:9/', { headers: { authorization: 'se\ncret' } });
  await expect(failure).rejects.toMatchObject({ kind: 'refused' });
  const sent = callOut('http://127.0.0.1:9999/', { headers: { authorization: 'se\ncret' } });
  await expect(sent).rejects.toThrow('invalid authorization header');
  await expect(sent).rejects.not.toThrow('cret');
});

test('the caller cannot set headers that frame a message', async () => {
  await using source = await startFakeSource(() => ({ body: 'ok' }));
  const headers = {
    Host: 'internal.example',
    'Content-Length': '3',
    'Transfer-Encoding': 'chunked',
  };
  await callOut(source.url, { headers, method: 'POST', body: 'whole' });
  expect(source.requests[0]).toMatchObject({ body: 'whole' });
  expect(source.requests[0]?.headers.host).toBe(new URL(source.url).host);
});

test('a connection is reused, and closing the client closes it', async () => {
  await using server = await startTcpServer((socket) => {
    const answer = `${HEADERS}Content-Length: 2\r\n\r\nok`;
    socket.write(answer);
    socket.on('data', () => socket.write(answer));
  });
  const client = openOutboundClient();
  for (let index = 0; index < 10; index += 1) await callOut(server.url, {}, client);
  // A second connection opens when a call comes before the first one has settled.
  expect(server.connections).toBeLessThanOrEqual(2);
  const unused = server.untilIdle();
  await client[Symbol.asyncDispose]();
  await unused;
});

test('more origins than keep-alive connections cause no error', async () => {
  await using source = await startFakeSource(() => ({ body: 'ok' }));
  const client = openOutboundClient({ lookup: toLoopback });
  const calls = Array.from({ length: 300 }, (_, index) =>
    callOut(source.url.replace('127.0.0.1', `n${index}.example`), {}, client),
  );
  const statuses = await Promise.all(calls.map(async (answer) => (await answer).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a location may contain unescaped characters', async () => {
  await using source = await startFakeSource(({ url }) =>
    url.pathname === '/'
      ? { status: 301, headers: { location: Buffer.from('/grüße').toString('latin1') } }
      : { body: 'ok' },
  );
  expect((await callOut(source.url)).url).toBe(`${source.url}/gr%C3%BC%C3%9Fe`);
});

test('the client sends its own name, unless the caller sets one', async () => {
  await using source = await startFakeSource(() => ({ body: 'ok' }));
  const client = openOutboundClient({ userAgent: 'Millrace/1.0 (+https://m.example)' });
  await callOut(source.url, {}, client);
  await callOut(source.url, { headers: { 'User-Agent': 'Else' } }, client);
  expect(source.requests.map(({ headers }) => headers['user-agent'])).toEqual([
    'Millrace/1.0 (+https://m.example)',
    'Else',
  ]);
});

test('a proxy receives only vetted hostnames, with the credentials of the operator', async () => {
  await using proxy = await startFakeSource(({ headers }) => ({
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(`via ${headers.host}`),
  }));
  const proxyUrl = proxy.url.replace('http://', 'http://me:hunter2@');
  const names: Record<string, string> = { 'good.example': '8.8.8.8', 'bad.example': '10.0.0.1' };
  const lookup = async (host: string) => [{ address: names[host] ?? '', family: 4 }];
  const client = openOutboundClient({ allowCidrs: [], proxyUrl, lookup });
  const answer = await callOut('http://good.example/a?b=c', {}, client);
  expect(answer.text()).toBe('via good.example');
  expect(proxy.requests[0]?.url.href).toBe('http://good.example/a?b=c');
  expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(
    `Basic ${Buffer.from('me:hunter2').toString('base64')}`,
  );
  for (const url of ['http://bad.example/', 'https://bad.example/', 'http://127.0.0.1/']) {
    await expect(callOut(url, {}, client)).rejects.toMatchObject({ kind: 'refused' });
  }
  expect(proxy.requests).toHaveLength(1);
});

test('an unreachable proxy is a network failure, reported without its password', async () => {
  await using server = await startTcpServer((socket) => socket.destroy());
  const proxyUrl = `http://me:hunter2@127.0.0.1:${server.port}`;
  const client = openOutboundClient({ proxyUrl, lookup: toLoopback });
  for (const url of ['http://good.example/', 'https://good.example/']) {
    const failure = callOut(url, {}, client);
    await expect(failure).rejects.toMatchObject({ kind: 'network' });
    await expect(failure).rejects.not.toThrow('hunter2');
  }
});
