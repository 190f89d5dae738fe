import { expect, test } from 'vitest';
import { lookUpDomains } from '#src/leads/scrapes/look-up-domains.ts';
import type { DnsAnswer, DnsClient } from '#src/platform/dns.ts';

const none = { kind: 'none' } as const;

/** Name servers with these mail exchangers and addresses; all other names do not exist. */
function nameServers(zones: { mx?: Record<string, string>; addresses?: string[] }): DnsClient {
  const answer = <T>(records: T[]): Promise<DnsAnswer<T>> =>
    Promise.resolve(records.length === 0 ? none : { kind: 'found', records });
  return {
    mx: (domain) => {
      const exchange = zones.mx?.[domain];
      return answer(exchange === undefined ? [] : [{ exchange, priority: 10 }]);
    },
    txt: () => Promise.resolve(none),
    addresses: (name) => answer(zones.addresses?.includes(name) ? ['192.0.2.1'] : []),
  };
}

const lookUp = async (dns: DnsClient, ...domains: string[]) =>
  Object.fromEntries(await lookUpDomains(dns, domains, new AbortController().signal));

test('a domain takes mail by its exchanger or its address, and not by a null MX', async () => {
  const dns = nameServers({
    mx: { 'acme.org': 'mx.acme.org', 'quiet.org': '' },
    addresses: ['plain.org'],
  });
  expect(await lookUp(dns, 'acme.org', 'quiet.org', 'plain.org', 'gone.org')).toEqual({
    'acme.org': 'mx',
    'quiet.org': 'no_mx',
    'plain.org': 'mx',
    'gone.org': 'no_mx',
  });
});

test('a name that does not exist takes no mail when the resolver knows others', async () => {
  const dns = nameServers({ addresses: ['a.root-servers.net'] });
  expect(await lookUp(dns, 'gone.org')).toEqual({ 'gone.org': 'no_mx' });
});

test('a resolver that denies every name says nothing about mail', async () => {
  expect(await lookUp(nameServers({}), 'acme.org', 'other.org')).toEqual({
    'acme.org': 'unknown',
    'other.org': 'unknown',
  });
});
