import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Ranges that the operator has opened, such as `10.0.0.0/8`. */
export type AllowedRanges = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** @throws Error naming the unreadable range */
export function parseRanges(cidrs: readonly string[]): AllowedRanges {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

/**
 * Why this address may not be reached ("a private address"); null when it may. Refuses every address that is neither
 * public according to the special-purpose registries (IANA, RFC 6890) nor opened by the operator.
 */
export function refusalOf(address: string, allowed: AllowedRanges): string | null {
  if (isIP(address) === 0) return 'no IP address';
  const parsed = ipaddr.parse(normalizeIPv4Compatible(address));
  if (allowed.some((range) => isWithin(parsed, range))) return null;
  return parsed instanceof ipaddr.IPv4 ? refusalOfV4(parsed) : refusalOfV6(parsed, allowed);
}

/** Whether the operator has opened this address explicitly; being public is not enough. */
export function isOpened(address: string, allowed: AllowedRanges): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(normalizeIPv4Compatible(address));
  if (allowed.some((range) => isWithin(parsed, range))) return true;
  if (parsed instanceof ipaddr.IPv4 || parsed.zoneId !== undefined) return false;
  const embedded = embeddedV4(parsed, parsed.range());
  return embedded !== null && embedded.every((inner) => isOpened(inner, allowed));
}

/**
 * The parser reads `::10.0.0.1`, a common notation for IPv4-compatible addresses, as `::ffff:10.0.0.1`; a URL does not.
 */
function normalizeIPv4Compatible(address: string): string {
  const url = isIP(address) === 6 ? URL.parse(`http://[${address}]/`) : null;
  return url === null ? address : url.hostname.slice(1, -1);
}

function isWithin(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  [base, prefixLength]: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return address.kind() === base.kind() && address.match(base, prefixLength);
}

/** In public ranges, but answered by the host that a machine runs on: Azure's WireServer, which issues certificates. */
const HOST_SERVICES_V4: readonly string[] = ['168.63.129.16'];

const NAMES: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: "an address of a provider's internal network",
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
};

function refusalOfV4(address: ipaddr.IPv4): string | null {
  if (HOST_SERVICES_V4.includes(address.toString())) return 'an address of cloud machinery';
  const range: string = address.range();
  return range === 'unicast' ? null : (NAMES[range] ?? 'a reserved address');
}

function refusalOfV6(address: ipaddr.IPv6, allowed: AllowedRanges): string | null {
  if (address.zoneId !== undefined) return 'an address of one network interface';
  const range: string = address.range();
  const embedded = embeddedV4(address, range);
  if (embedded !== null) return firstRefusal(embedded, allowed);
  if (NAMES[range] !== undefined) return NAMES[range];
  const isGlobalUnicast = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return range === 'unicast' && isGlobalUnicast ? null : 'a reserved address';
}

function firstRefusal(addresses: string[], allowed: AllowedRanges): string | null {
  for (const address of addresses) {
    const refusal = refusalOf(address, allowed);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** IPv4 addresses to which packets for this address may be forwarded; null when it embeds none. */
function embeddedV4({ parts }: ipaddr.IPv6, range: string): string[] | null {
  const v4At = (index: number, mask = 0): string => {
    const high = (parts[index] ?? 0) ^ mask;
    const low = (parts[index + 1] ?? 0) ^ mask;
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  };
  switch (range) {
    case 'ipv4Mapped': // ::ffff:0:0/96, RFC 4291
    case 'rfc6145': // ::ffff:0:0:0/96, translated
      return [v4At(6)];
    case 'rfc6052': // 64:ff9b::/96; the local-use prefix 64:ff9b:1::/48 embeds at positions that only its network knows
      return parts[2] === 0 ? [v4At(6)] : null;
    case '6to4': // 2002::/16, RFC 3056
      return [v4At(1)];
    case 'teredo': // 2001::/32, RFC 4380: the server, and the client with its bits flipped
      return [v4At(2), v4At(6, 0xffff)];
    default: // ISATAP, RFC 5214: an interface id of 0:5efe or 200:5efe and the IPv4 address
      return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe ? [v4At(6)] : null;
  }
}
