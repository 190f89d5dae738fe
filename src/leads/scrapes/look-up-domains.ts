import type { DnsAnswer, DnsClient } from '#src/platform/dns.ts';
import type { EmailStatus } from '#src/leads/merge/lead-draft.ts';

const MAX_LOOK_UPS = 30;
/** A name that every working resolver knows (https://www.iana.org/domains/root/servers). */
const KNOWN_NAME = 'a.root-servers.net';
/** Names reserved for documents and tests (RFC 2606, RFC 6761): name servers say nothing meaningful about them. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/**
 * Whether these domains accept mail: by their MX records, else by an address record (RFC 5321 §5.1). A null MX (RFC
 * 7505) means that they do not. Mailboxes are not checked: most servers would not tell.
 * @returns a status for each domain; `unknown` for those that no name server answered for, and for all when the
 * resolver denies every name, as it does in closed networks
 */
export async function lookUpDomains(
  dns: DnsClient,
  domains: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, EmailStatus>> {
  const asked = [...new Set(domains)].slice(0, MAX_LOOK_UPS);
  const answers = await Promise.all(asked.map(async (domain) => askFor(dns, domain, signal)));
  const isDenied = answers.includes('denied') && !(await isResolving(dns, answers, signal));
  const denied = isDenied ? 'unknown' : 'no_mx';
  return new Map(
    asked.map((domain, index) => {
      const answer = answers[index] ?? 'unknown';
      return [domain, answer === 'denied' ? denied : answer];
    }),
  );
}

/** `denied`: there is no such name, or nothing that takes mail. */
type Answer = EmailStatus | 'denied';

async function isResolving(
  dns: DnsClient,
  answers: readonly Answer[],
  signal: AbortSignal,
): Promise<boolean> {
  if (answers.includes('mx') || answers.includes('no_mx')) return true;
  return (await dns.addresses(KNOWN_NAME, signal)).kind === 'found';
}

async function askFor(dns: DnsClient, domain: string, signal: AbortSignal): Promise<Answer> {
  if (RESERVED.test(domain)) return 'unknown';
  const mx = await dns.mx(domain, signal);
  if (mx.kind === 'found')
    return mx.records.some(({ exchange }) => exchange !== '') ? 'mx' : 'no_mx';
  if (mx.kind === 'unknown') return 'unknown';
  const addresses: DnsAnswer<string> = await dns.addresses(domain, signal);
  if (addresses.kind === 'unknown') return 'unknown';
  return addresses.kind === 'found' ? 'mx' : 'denied';
}
