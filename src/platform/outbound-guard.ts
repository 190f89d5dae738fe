import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { OutboundError, type OutboundGuard } from './outbound.ts';
import { type AllowedRanges, isOpened, parseRanges, refusalOf } from './vet-address.ts';

/** What `addressesOf` lets through. */
export type OutboundReach = NonNullable<Parameters<OutboundGuard['addressesOf']>[1]>;

/** All addresses of a host name, as the system resolves it. */
export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>;

const resolveBySystem: ResolveHost = (host) => lookup(host, { all: true });

/**
 * A name is refused entirely if one of its addresses is refused: mixing public and private addresses is a known way to
 * trick a guard.
 */
export function createOutboundGuard(options: {
  allowCidrs: readonly string[];
  resolve?: ResolveHost;
}): OutboundGuard {
  const { resolve = resolveBySystem } = options;
  const allowed = parseRanges(options.allowCidrs);
  return {
    async addressesOf(host, reach = 'public') {
      const name = canonicalHost(host);
      const answers = isIP(name) === 0 ? await resolve(name) : [{ address: name }];
      if (answers.length === 0) throw new OutboundError('network', `${name} has no address.`);
      for (const { address } of answers) {
        refuseUnlessAllowed(name, address, allowed);
        if (reach === 'opened') refuseUnlessOpened(name, address, allowed);
      }
      return answers.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
    },
  };
}

/** For `net.connect`: a socket gets only vetted addresses. */
export function vettedLookup(guard: OutboundGuard, reach: OutboundReach): LookupFunction {
  const addressesOf = callbackify((host: string) => guard.addressesOf(host, reach));
  return (host, options, callback) => {
    addressesOf(host, (error, addresses) => {
      if (error) callback(error, '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
}

function refuseUnlessAllowed(name: string, address: string, allowed: AllowedRanges): void {
  const refusal = refusalOf(address, allowed);
  if (refusal === null) return;
  // Outsiders must not learn what an internal name resolves to, or what kind of address that is.
  const what = name === address ? `is ${refusal}` : 'resolves to an address that is not public';
  throw new OutboundError(
    'refused',
    `${name} ${what}, which cannot be reached from here. The operator can open ranges with OUTBOUND_ALLOW_CIDRS.`,
  );
}

function refuseUnlessOpened(name: string, address: string, allowed: AllowedRanges): void {
  if (isOpened(address, allowed)) return;
  const verb = name === address ? 'is' : 'resolves to';
  throw new OutboundError(
    'refused',
    `${name} ${verb} a public address, and plain HTTP is allowed only to ranges that the operator has opened with OUTBOUND_ALLOW_CIDRS; use https.`,
  );
}

/**
 * The host in the form a URL has it, IPv6 without brackets: `0x7f.1`, `2130706433` and `①②⑦.1` become `127.0.0.1`.
 * @throws OutboundError `refused` when it is not a host
 */
function canonicalHost(host: string): string {
  const isV6 = isIP(host) === 6;
  const looksLikeHost = isV6 || /^\[[^\]]*\]$|^[^\s:/\\?#@[\]]+$/.test(host);
  const url = looksLikeHost ? URL.parse(`http://${isV6 ? `[${host}]` : host}/`) : null;
  if (url === null)
    throw new OutboundError('refused', `${JSON.stringify(host)} is not a host name.`);
  return url.hostname.replaceAll(/^\[|\]$/g, '');
}
