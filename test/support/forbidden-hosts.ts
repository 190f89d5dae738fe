import { isIP } from 'node:net';
import type { ResolveHost } from '#src/platform/outbound-guard.ts';

/** A forbidden host as written in a URL, and what it is. */
export interface ForbiddenHost {
  host: string;
  why: string;
  /** Forbidden only after URL decoding; as a bare host it is not a host name at all. */
  isUrlOnly?: true;
}

/** A name and its DNS answer. */
export interface ForbiddenName {
  name: string;
  addresses: string[];
  why: string;
}

/** Passes every check; no test ever connects to it. */
export const PUBLIC_ADDRESS = '93.184.216.34';

/** All spellings of one IPv4 address that URLs, resolvers and translators may use. */
export function spellingsOf(address: string): ForbiddenHost[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number): string => value.toString(16);
  const octal = (value: number): string => `0${value.toString(8)}`;
  const digits = (text: string, map: (digit: number) => string): string =>
    text.replaceAll(/\d/g, (digit) => map(Number(digit)));
  const [high, low] = [hex(a * 256 + b), hex(c * 256 + d)];
  const flipped = `${hex((a * 256 + b) ^ 0xffff)}:${hex((c * 256 + d) ^ 0xffff)}`;
  const circled = digits(address, (digit) =>
    String.fromCodePoint(digit === 0 ? 0x24ea : 0x245f + digit),
  );
  const wide = digits(address, (digit) => String.fromCodePoint(0xff10 + digit));
  const spelled: [host: string, why: string, isUrlOnly?: true][] = [
    [address, 'as it is'],
    [`${address}.`, 'with a dot at its end'],
    [`${a}.${b}.${c * 256 + d}`, 'in three parts'],
    [`${a}.${(b * 256 + c) * 256 + d}`, 'in two parts'],
    [String(number), 'as a number'],
    [`0x${hex(number)}`, 'as a hexadecimal number'],
    [`0X${hex(number).toUpperCase()}`, 'as a number in capitals'],
    [`0${number.toString(8)}`, 'as an octal number'],
    [[a, b, c, d].map(octal).join('.'), 'in octal parts'],
    [`0x${hex(a)}.${octal(b)}.${c}.0x${hex(d)}`, 'in mixed parts'],
    [`0x${hex(a)}.${(b * 256 + c) * 256 + d}.`, 'in two parts with a dot at its end'],
    [circled, 'in circled digits'],
    [wide, 'in wide digits'],
    [address.replaceAll('.', '。'), 'with ideographic full stops', true],
    [digits(address, (digit) => `%3${digit}`), 'percent-encoded', true],
    [address.replaceAll('.', '%2e'), 'with percent-encoded dots', true],
    [`${a}\u00AD.${b}.${c}.${d}`, 'with a soft hyphen', true],
    [`[::ffff:${address}]`, 'mapped into IPv6'],
    [`[::ffff:${high}:${low}]`, 'mapped into IPv6, in hexadecimal'],
    [`[0:0:0:0:0:ffff:${high}:${low}]`, 'mapped into IPv6, at full length'],
    [`[::${high}:${low}]`, 'IPv4-compatible'],
    [`[::ffff:0:${high}:${low}]`, 'translated (RFC 6145)'],
    [`[64:ff9b::${high}:${low}]`, 'behind NAT64'],
    [`[64:ff9b::${address}]`, 'behind NAT64, with dots'],
    [`[2002:${high}:${low}::1]`, 'behind 6to4'],
    [`[2001:0:808:808::${flipped}]`, 'as a Teredo client'],
    [`[2001:0:${high}:${low}::f7f7:f7f7]`, 'as a Teredo server'],
    [`[2a00:1450::5efe:${high}:${low}]`, 'behind ISATAP'],
  ];
  return spelled.map(([host, why, isUrlOnly]) => ({
    host,
    why: `${address} ${why}`,
    ...(isUrlOnly && { isUrlOnly }),
  }));
}

const LOOPBACK: readonly ForbiddenHost[] = [
  ...spellingsOf('127.0.0.1'),
  { host: '127.1', why: 'loopback, shortened' },
  { host: '0x7f.1', why: 'loopback, shortened, in hexadecimal' },
  { host: '0177.0.0.1', why: 'loopback, partly octal' },
  { host: '①②⑦.0.0.1', why: 'loopback, partly in circled digits' },
  { host: '[2002:7f00:1::]', why: 'loopback behind 6to4' },
  { host: '127.255.255.254', why: 'the last of loopback' },
];

/** Special and private ranges (IANA's special-purpose address registries), and the metadata services of clouds. */
const SPECIAL_ADDRESSES: readonly ForbiddenHost[] = [
  { host: '１６９.254.169.254', why: 'metadata, partly in wide digits' },
  { host: '[::1]', why: 'loopback' },
  { host: '[0:0:0:0:0:0:0:1]', why: 'loopback at full length' },
  { host: '0.0.0.0', why: 'unspecified: this machine' },
  { host: '0', why: 'unspecified, shortened' },
  { host: '0.1.2.3', why: 'this network' },
  { host: '[::]', why: 'unspecified: this machine' },
  { host: '10.0.0.1', why: 'private' },
  { host: '10.255.255.255', why: 'the last of 10.0.0.0/8' },
  { host: '0x0a.1', why: 'private, in disguise' },
  { host: '172.16.0.1', why: 'private' },
  { host: '172.31.255.254', why: 'private' },
  { host: '192.168.1.1', why: 'private' },
  { host: '192.168.0.1', why: 'private' },
  { host: '[fc00::1]', why: 'unique local' },
  { host: '[fd00::1]', why: 'unique local' },
  { host: '[fec0::1]', why: 'site-local' },
  { host: '169.254.0.1', why: 'link-local' },
  { host: '[fe80::1]', why: 'link-local' },
  { host: '169.254.170.2', why: 'credentials of AWS ECS' },
  { host: '169.254.170.23', why: 'credentials of AWS EKS' },
  { host: '[fd00:ec2::254]', why: 'metadata of AWS' },
  { host: '[fd00:ec2::23]', why: 'credentials of AWS EKS' },
  { host: '[fd20:ce::254]', why: 'metadata of Google Cloud' },
  { host: '168.63.129.16', why: "Azure's WireServer, in a public range" },
  { host: '[::ffff:168.63.129.16]', why: "Azure's WireServer, mapped" },
  { host: '100.100.100.200', why: 'metadata of Alibaba Cloud' },
  { host: '192.0.0.192', why: 'metadata of Oracle Cloud' },
  { host: '100.64.0.1', why: 'carrier-grade NAT' },
  { host: '100.127.255.254', why: 'the last of carrier-grade NAT' },
  { host: '192.88.99.1', why: '6to4 relays' },
  { host: '198.18.0.1', why: 'benchmarks' },
  { host: '198.19.255.255', why: 'the last of benchmarks' },
  { host: '[2001:2::1]', why: 'benchmarks' },
  { host: '192.0.2.1', why: 'documentation' },
  { host: '198.51.100.1', why: 'documentation' },
  { host: '203.0.113.1', why: 'documentation' },
  { host: '[2001:db8::1]', why: 'documentation' },
  { host: '[3fff::1]', why: 'documentation' },
  { host: '224.0.0.1', why: 'multicast' },
  { host: '239.255.255.250', why: 'multicast' },
  { host: '[ff02::1]', why: 'multicast' },
  { host: '240.0.0.1', why: 'reserved' },
  { host: '255.255.255.255', why: 'broadcast' },
  { host: '[64:ff9b:1::8.8.8.8]', why: 'NAT64 for local use' },
  { host: '[100::1]', why: 'discard' },
  { host: '[4000::1]', why: 'assigned to nobody' },
  { host: '[5f00::1]', why: 'segment routing' },
];

/** Forbidden even when 127.0.0.0/8 is allowed, as in tests with servers on this machine. */
export const BEYOND_LOOPBACK: readonly ForbiddenHost[] = [
  ...spellingsOf('169.254.169.254'),
  ...SPECIAL_ADDRESSES,
];

/** Hosts that need no DNS lookup. */
export const FORBIDDEN_LITERALS: readonly ForbiddenHost[] = [...LOOPBACK, ...BEYOND_LOOPBACK];

/** In lower case. One forbidden address makes the whole name forbidden. */
export const FORBIDDEN_NAMES: readonly ForbiddenName[] = [
  { name: 'localhost', addresses: ['127.0.0.1', '::1'], why: 'this machine' },
  { name: 'localhost.', addresses: ['127.0.0.1'], why: 'this machine, with a dot' },
  { name: 'app.localhost', addresses: ['::1'], why: 'this machine' },
  {
    name: '127-0-0-1.wild.example',
    addresses: ['127.0.0.1'],
    why: 'a name for a loopback address',
  },
  { name: 'metadata.google.internal', addresses: ['169.254.169.254'], why: 'metadata' },
  { name: 'metadata.internal', addresses: ['169.254.169.254'], why: 'metadata' },
  { name: 'database.internal', addresses: ['10.1.2.3'], why: 'a private address' },
  { name: 'lan.example', addresses: ['fd12:3456::7'], why: 'a unique local address' },
  { name: 'nat.example', addresses: ['100.64.3.4'], why: 'carrier-grade NAT' },
  { name: 'zero.example', addresses: ['0.0.0.0'], why: 'the unspecified address' },
  { name: 'mixed.example.com', addresses: [PUBLIC_ADDRESS, '10.1.2.3'], why: 'public and private' },
  { name: 'mixed-6.example', addresses: [PUBLIC_ADDRESS, 'fd00::9'], why: 'public and private' },
  { name: 'mapped.example', addresses: ['::ffff:10.1.2.3'], why: 'mapped into IPv6' },
  { name: 'nat64.example', addresses: ['64:ff9b::a01:203'], why: 'behind NAT64' },
  { name: 'zone.example', addresses: ['fe80::1%eth0'], why: 'an address with a zone' },
  { name: 'odd.example', addresses: ['10.1.2'], why: 'an invalid answer' },
];

/** The table: every literal and every name. */
export const FORBIDDEN_HOSTS: readonly ForbiddenHost[] = [
  ...FORBIDDEN_LITERALS,
  ...FORBIDDEN_NAMES.map(({ name, addresses, why }) => ({
    host: name,
    why: `${why}: ${addresses.join(', ')}`,
  })),
  { host: 'LocalHost', why: 'this machine, in capitals' },
];

/** DNS answers for a name, in turn; the last one is repeated. */
export type AnswersInTurn = readonly (readonly string[])[];

/** Names that are public when checked and resolve elsewhere when connected. */
export function rebindingsTo(inner: string): { answers: AnswersInTurn; why: string }[] {
  const first = [PUBLIC_ADDRESS];
  return [
    { answers: [first, [inner]], why: 'an internal address' },
    { answers: [first, [PUBLIC_ADDRESS, inner]], why: 'an internal address behind a public one' },
    { answers: [first, [inner, PUBLIC_ADDRESS]], why: 'an internal address before a public one' },
    { answers: [first, [`::ffff:${inner}`]], why: 'an internal address, mapped' },
    { answers: [first, [`64:ff9b::${inner}`]], why: 'an internal address behind NAT64' },
    { answers: [first, ['169.254.169.254']], why: 'metadata' },
    { answers: [first, ['::1']], why: 'this machine' },
    { answers: [first, []], why: 'nothing' },
  ];
}

/** Redirect targets of a malicious site: an internal server in every spelling, and URLs that must never be called. */
export function redirectTargetsTo(inner: {
  address: string;
  port: number;
}): { target: string; why: string }[] {
  const { address, port } = inner;
  return [
    ...spellingsOf(address).map(({ host, why }) => ({
      target: `http://${host}:${port}/`,
      why,
    })),
    { target: `//${address}:${port}/`, why: 'without a scheme' },
    { target: `https://${address}:${port}/`, why: 'with TLS' },
    { target: `http:\\\\${address}:${port}\\`, why: 'with backslashes' },
    { target: `http://user:word@${address}:${port}/`, why: 'with a password' },
    { target: `http://${PUBLIC_ADDRESS}@${address}:${port}/`, why: 'with a public host as user' },
    { target: `http://${address}:25/`, why: 'to a mail port' },
    { target: `gopher://${address}:${port}/_x`, why: 'with another scheme' },
    { target: 'file:///etc/passwd', why: 'to a file' },
  ];
}

/** Resolves only these names; the answers for a name come in turn. */
export class FakeResolver {
  private readonly names = new Map<string, AnswersInTurn>();
  /** How often each name was looked up. */
  readonly asked = new Map<string, number>();

  constructor(names: readonly ForbiddenName[] = FORBIDDEN_NAMES) {
    for (const { name, addresses } of names) this.set(name, [addresses]);
  }

  set(name: string, answers: AnswersInTurn): void {
    this.names.set(name, answers);
    this.asked.delete(name);
  }

  readonly resolve: ResolveHost = async (host) => {
    const answers = this.names.get(host);
    const count = this.asked.get(host) ?? 0;
    this.asked.set(host, count + 1);
    const answer = answers?.[Math.min(count, answers.length - 1)];
    if (answer) return answer.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
    const unknown = new Error(`getaddrinfo ENOTFOUND ${host}`);
    throw Object.assign(unknown, { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
  };
}
