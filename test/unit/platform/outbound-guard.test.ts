import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import { parseRanges, refusalOf } from '#src/platform/vet-address.ts';
import { FORBIDDEN_LITERALS } from '#test/support/forbidden-hosts.ts';

function guardOf(names: Record<string, string[]>, allowCidrs: string[] = []) {
  return createOutboundGuard({
    allowCidrs,
    resolve: async (host) =>
      (names[host] ?? []).map((address) => ({ address, family: isIP(address) })),
  });
}

const refused = { name: 'OutboundError', kind: 'refused' };

test.each([
  ['0.0.0.0', 'an unspecified address'],
  ['0.1.2.3', 'an unspecified address'],
  ['10.0.0.1', 'a private address'],
  ['100.64.0.1', "an address of a provider's internal network"],
  ['100.100.100.200', "an address of a provider's internal network"], // Alibaba Cloud's metadata
  ['127.0.0.1', 'a loopback address'],
  ['127.255.255.254', 'a loopback address'],
  ['168.63.129.16', 'an address of cloud machinery'], // Azure
  ['169.254.169.254', 'a link-local address'], // AWS, Google Cloud, Azure
  ['169.254.170.2', 'a link-local address'], // AWS ECS
  ['172.16.0.1', 'a private address'],
  ['172.31.255.255', 'a private address'],
  ['192.0.0.192', 'a reserved address'], // Oracle Cloud's metadata
  ['192.0.2.1', 'a reserved address'],
  ['192.88.99.1', 'a reserved address'],
  ['192.168.1.1', 'a private address'],
  ['198.18.0.1', 'a reserved address'],
  ['198.19.255.255', 'a reserved address'],
  ['198.51.100.1', 'a reserved address'],
  ['203.0.113.1', 'a reserved address'],
  ['224.0.0.1', 'a multicast address'],
  ['240.0.0.1', 'a reserved address'],
  ['255.255.255.255', 'a broadcast address'],
  ['::', 'an unspecified address'],
  ['::1', 'a loopback address'],
  ['::7f00:1', 'a reserved address'], // IPv4-compatible
  ['::8.8.8.8', 'a reserved address'],
  ['::ffff:127.0.0.1', 'a loopback address'],
  ['::ffff:a9fe:a9fe', 'a link-local address'],
  ['::ffff:0:10.0.0.1', 'a private address'], // IPv4-translated
  ['64:ff9b::192.168.0.1', 'a private address'], // NAT64
  ['64:ff9b:1::8.8.8.8', 'a reserved address'], // NAT64 for local use
  ['2002:7f00:1::1', 'a loopback address'], // 6to4
  ['2002:a9fe:a9fe::', 'a link-local address'],
  ['2001:0:808:808::f5ff:fffe', 'a private address'], // Teredo: the client is 10.0.0.1
  ['2001:0:a00:1::f7f7:f7f7', 'a private address'], // Teredo: the server is 10.0.0.1
  ['2a00:1450::5efe:10.0.0.1', 'a private address'], // ISATAP
  ['2a00:1450::200:5efe:127.0.0.1', 'a loopback address'],
  ['100::1', 'a reserved address'],
  ['2001:2::1', 'a reserved address'],
  ['2001:db8::1', 'a reserved address'],
  ['3fff::1', 'a reserved address'],
  ['5f00::1', 'a reserved address'],
  ['4000::1', 'a reserved address'],
  ['fc00::1', 'a private address'],
  ['fd00:ec2::254', 'a private address'], // AWS over IPv6
  ['fe80::1', 'a link-local address'],
  ['fe80::1%eth0', 'an address of one network interface'],
  ['2a00:1450::1%eth0', 'an address of one network interface'],
  ['fec0::1', 'a private address'],
  ['ff02::1', 'a multicast address'],
  ['example.com', 'no IP address'],
])('%s is refused as %s', (address, reason) => {
  expect(refusalOf(address, [])).toBe(reason);
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2a00:1450:4001:82b::200e',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('%s may be reached', (address) => {
  expect(refusalOf(address, [])).toBeNull();
});

test.each([
  ...FORBIDDEN_LITERALS.map(({ host }) => host),
  '::1',
  '::ffff:127.0.0.1',
  'fe80::1%eth0',
])('the address literal %s is recognized and refused', async (host) => {
  await expect(guardOf({}).addressesOf(host)).rejects.toMatchObject(refused);
});

test.each([
  '',
  ' ',
  'a b',
  'a/b',
  'user@127.0.0.1',
  'example.com:80',
  'a?b',
  'a#b',
  '1.2.3.4.5',
  '[::1',
  '::1%lo',
])('%j is not a host', async (host) => {
  const names = guardOf({ '': ['8.8.8.8'], a: ['8.8.8.8'], 'example.com': ['8.8.8.8'] });
  await expect(names.addressesOf(host)).rejects.toMatchObject(refused);
});

test('a hostname with one private address among public ones is refused without revealing the address', async () => {
  const guard = guardOf({ 'mixed.example': ['8.8.8.8', '10.1.2.3'] });
  const failure = guard.addressesOf('mixed.example');
  await expect(failure).rejects.toMatchObject(refused);
  await expect(failure).rejects.toThrow('mixed.example resolves to an address that is not public');
  await expect(failure).rejects.not.toThrow('10.1.2.3');
});

test('a hostname with a trailing dot is resolved like any other', async () => {
  await expect(guardOf({ 'localhost.': ['127.0.0.1'] }).addressesOf('localhost.')).rejects.toThrow(
    'resolves to an address that is not public',
  );
});

test('a hostname without addresses is a network failure, which may be temporary', async () => {
  await expect(guardOf({}).addressesOf('empty.example')).rejects.toMatchObject({ kind: 'network' });
});

test('all addresses of a public hostname are returned with their families', async () => {
  const guard = guardOf({ 'example.com': ['8.8.8.8', '2606:4700::1111'] });
  expect(await guard.addressesOf('EXAMPLE.com')).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
});

test('opened ranges are reachable, also embedded in IPv6, and nothing else is', async () => {
  const allowed = parseRanges(['10.0.0.0/8', 'fd00::/8']);
  expect(refusalOf('10.255.255.255', allowed)).toBeNull();
  expect(refusalOf('::ffff:10.0.0.1', allowed)).toBeNull();
  expect(refusalOf('fd00::1', allowed)).toBeNull();
  expect(refusalOf('11.0.0.1', allowed)).toBeNull();
  expect(refusalOf('192.168.0.1', allowed)).toBe('a private address');
  expect(refusalOf('fc00::1', allowed)).toBe('a private address');
  await expect(guardOf({}, ['127.0.0.0/8']).addressesOf('127.1')).resolves.toEqual([
    { address: '127.0.0.1', family: 4 },
  ]);
});

test('an invalid range prevents the start', () => {
  expect(() => createOutboundGuard({ allowCidrs: ['10.0.0.0/33'] })).toThrow('CIDR');
});

const octet = fc.integer({ min: 0, max: 255 });

test('every spelling of an IPv4 address gets the same verdict as its plain form', async () => {
  const spellings = fc.tuple(octet, octet, octet, octet).map(([a, b, c, d]) => {
    const number = ((a * 256 + b) * 256 + c) * 256 + d;
    const hex = (value: number): string => value.toString(16).padStart(2, '0');
    const plain = `${a}.${b}.${c}.${d}`;
    return {
      plain,
      others: [
        String(number),
        `0x${number.toString(16)}`,
        `0${number.toString(8)}`,
        `0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}`,
        `${plain}.`,
        `::ffff:${plain}`,
        `[::ffff:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}]`,
        `64:ff9b::${plain}`,
        `2002:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}::1`,
      ],
    };
  });
  const guard = guardOf({});
  const isRefused = (host: string): Promise<boolean> =>
    guard.addressesOf(host).then(
      () => false,
      () => true,
    );
  await fc.assert(
    fc.asyncProperty(spellings, async ({ plain, others }) => {
      const expected = refusalOf(plain, []) !== null;
      for (const other of others) expect(await isRefused(other), other).toBe(expected);
    }),
  );
});

test('no IPv6 address outside 2000::/3 is reachable, unless it embeds a public IPv4 address', () => {
  const hextet = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(hextet, { minLength: 8, maxLength: 8 }), (parts) => {
      const address = parts.map((part) => part.toString(16)).join(':');
      const isGlobal = ((parts[0] ?? 0) & 0xe000) === 0x2000;
      const translates =
        parts[4] === 0xffff || parts[5] === 0xffff || parts[0] === 0x64 || parts[5] === 0x5efe;
      if (!isGlobal && !translates) expect(refusalOf(address, [])).not.toBeNull();
    }),
  );
});
