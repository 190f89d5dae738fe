import { expect, test } from 'vitest';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import { isOpened, parseRanges } from '#src/platform/vet-address.ts';
import { startFakeSource } from '#test/support/fake-source.ts';
import { callOut, openOutboundClient } from '#test/support/outbound-call.ts';

const ONLY_OPENED =
  'plain HTTP is allowed only to ranges that the operator has opened with OUTBOUND_ALLOW_CIDRS; use https';

test('opened ranges contain their addresses in every spelling, and no public one', () => {
  const allowed = parseRanges(['10.0.0.0/8', 'fd00::/8']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', 'fd00::1']) {
    expect(isOpened(address, allowed), address).toBe(true);
  }
  for (const address of [
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2a00::1',
    'fc00::1',
    '',
  ]) {
    expect(isOpened(address, allowed), address).toBe(false);
  }
  // Teredo embeds two addresses, one of which is not opened.
  expect(isOpened('2001:0:a00:1::f7f7:f7f7', allowed)).toBe(false);
});

test('plain HTTP to a public address is refused with advice, and to a private one as usual', async () => {
  const names: Record<string, string[]> = {
    'public.example': ['8.8.8.8'],
    'mixed.example': ['10.0.0.1', '8.8.8.8'],
    'opened.example': ['10.0.0.1'],
    'private.example': ['192.168.0.1'],
  };
  const guard = createOutboundGuard({
    allowCidrs: ['10.0.0.0/8'],
    resolve: async (host) => (names[host] ?? []).map((address) => ({ address, family: 4 })),
  });
  await expect(guard.addressesOf('opened.example', 'opened')).resolves.toHaveLength(1);
  await expect(guard.addressesOf('mixed.example')).resolves.toHaveLength(2);
  for (const host of ['public.example', 'mixed.example', '8.8.8.8', '[::ffff:8.8.8.8]']) {
    const failure = guard.addressesOf(host, 'opened');
    await expect(failure, host).rejects.toMatchObject({ kind: 'refused' });
    await expect(failure, host).rejects.toThrow(ONLY_OPENED);
  }
  await expect(guard.addressesOf('private.example', 'opened')).rejects.toThrow(
    'private.example resolves to an address that is not public, which cannot be reached from here',
  );
});

test('a client that allows plain HTTP only to opened ranges checks them at every connect', async () => {
  await using source = await startFakeSource(() => ({ headers: { connection: 'close' } }));
  const answers = ['127.0.0.1', '8.8.8.8'];
  const lookup = async () => [{ address: answers.shift() ?? '8.8.8.8', family: 4 }];
  const client = openOutboundClient({ plainHttp: 'opened', lookup });
  const url = source.url.replace('127.0.0.1', 'rebind.example');
  expect((await callOut(url, {}, client)).status).toBe(200);
  const moved = callOut(url, {}, client);
  await expect(moved).rejects.toMatchObject({ kind: 'refused' });
  await expect(moved).rejects.toThrow(ONLY_OPENED);
  await expect(callOut('http://8.8.8.8/', {}, client)).rejects.toThrow(ONLY_OPENED);
  expect((await callOut(source.url, {}, client)).status).toBe(200);
  expect(source.requests).toHaveLength(2);
});

test('a redirect from an opened address to a public one is also refused', async () => {
  await using source = await startFakeSource(() => ({
    status: 307,
    headers: { location: 'http://8.8.8.8/' },
  }));
  const client = openOutboundClient({ plainHttp: 'opened' });
  await expect(callOut(source.url, {}, client)).rejects.toThrow(ONLY_OPENED);
});

test('a proxy is used for plain HTTP only to opened ranges, and for https also to public addresses', async () => {
  await using proxy = await startFakeSource(() => ({ body: 'via' }));
  const names: Record<string, string> = { 'opened.example': '127.0.0.1', 'a.example': '8.8.8.8' };
  const lookup = async (host: string) => [{ address: names[host] ?? '', family: 4 }];
  const client = openOutboundClient({ plainHttp: 'opened', proxyUrl: proxy.url, lookup });
  expect((await callOut('http://opened.example/', {}, client)).text()).toBe('via');
  for (const url of ['http://a.example/', 'http://8.8.8.8/']) {
    await expect(callOut(url, {}, client)).rejects.toThrow(ONLY_OPENED);
  }
  // The fake proxy does not know CONNECT, so this error shows that it was asked.
  await expect(callOut('https://a.example/', {}, client)).rejects.toMatchObject({
    kind: 'network',
  });
  expect(proxy.requests.map(({ url }) => url.host)).toEqual(['opened.example']);
});
