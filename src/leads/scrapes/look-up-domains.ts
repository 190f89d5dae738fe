import type { DnsAnswer, DnsClient } from '#src/platform/dns.ts';
import type { EmailStatus } from '#src/leads/merge/lead-draft.ts';

const MAX_LOOK_UPS = 30;
/** Names reserved for documents and tests (RFC 2606, RFC 6761): name servers say nothing meaningful about them. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/**
 * Whether these domains accept mail: by their MX records, else by an address record (RFC 5321 §5.1). A null MX (RFC
 * 7505) means that they do not. Mailboxes are not checked: most servers would not tell.
 * @returns a status for each domain; `unknown` for those that no name server answered for
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
