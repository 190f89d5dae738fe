import type { DnsAnswer, DnsClient } from '#src/platform/dns.ts';
import type { EmailStatus } from '#src/leads/merge/lead-draft.ts';

const MAX_LOOK_UPS = 30;
/** Names that stand for others in documents and tests (RFC 2606, RFC 6761): what a name server says of them means nothing. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/**
 * Whether these domains take mail: by their MX records, else by an address of their own (RFC 5321 §5.1); RFC 7505's
 * null MX says that they do not. Nobody is asked whether a mailbox exists: most servers do not tell.
 * @returns a status for each domain; `unknown` for those that no name server has answered for
 */
export async function lookUpDomains(
  dns: DnsClient,
  domains: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, EmailStatus>> {
  const asked = [...new Set(domains)].slice(0, MAX_LOOK_UPS);
  const statuses = await Promise.all(asked.map(async (domain) => statusOf(dns, domain, signal)));
  return new Map(asked.map((domain, index) => [domain, statuses[index] ?? 'unknown']));
}

async function statusOf(dns: DnsClient, domain: string, signal: AbortSignal): Promise<EmailStatus> {
  if (RESERVED.test(domain)) return 'unknown';
  const mx = await dns.mx(domain, signal);
  if (mx.kind === 'found')
    return mx.records.some(({ exchange }) => exchange !== '') ? 'mx' : 'no_mx';
  if (mx.kind === 'unknown') return 'unknown';
  const addresses: DnsAnswer<string> = await dns.addresses(domain, signal);
  if (addresses.kind === 'unknown') return 'unknown';
  return addresses.kind === 'found' ? 'mx' : 'no_mx';
}
