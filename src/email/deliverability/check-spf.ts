import ipaddr from 'ipaddr.js';
import type { DnsClient } from '#src/platform/dns.ts';
import type { Finding } from './deliverability.ts';
import type { ProviderRecords } from './provider-records.ts';
import { isSpf, MAX_SPF_LOOKUPS, type ReadSpf, readSpf } from './read-spf.ts';

export interface SpfQuestion {
  domain: string;
  smtpHost: string;
  provider: ProviderRecords | null;
}

const SOFT_FAIL = '~all';
const ANYONE = /(?:^|\s)\+?all(?=\s|$)/i;

/** Checks whether SPF (RFC 7208) allows this server to send for the domain. Null when name servers did not answer. */
export async function checkSpf(
  dns: DnsClient,
  question: SpfQuestion,
  signal: AbortSignal,
): Promise<Finding | null> {
  const { domain, smtpHost, provider } = question;
  const answer = await dns.txt(domain, signal);
  if (answer.kind === 'unknown') return null;
  const records = answer.kind === 'found' ? answer.records.filter(isSpf) : [];
  const [record] = records;
  const allowed =
    provider === null ? `a:${smtpHost}` : provider.include && `include:${provider.include}`;
  const finding = (state: Finding['state'], advice: string[], terms: string[] | null): Finding => ({
    state,
    record: record ?? null,
    publish: terms && { name: domain, type: 'TXT', value: ['v=spf1', ...terms].join(' ') },
    advice,
  });
  if (record === undefined) {
    const advice = `${domain} has no SPF record. Add a TXT record that begins with v=spf1 and names the servers of your mail provider.`;
    return finding('fail', [advice], [...(allowed ? [allowed] : []), SOFT_FAIL]);
  }
  if (records.length > 1) {
    const advice = `${domain} has ${records.length} SPF records, which receivers treat as an error. Merge them into one.`;
    return finding('fail', [advice], merged(records, allowed));
  }
  const read = await readSpf(dns, record, signal);
  const advice: string[] = [];
  const isOpen = ANYONE.test(record);
  if (isOpen)
    advice.push(
      `The SPF record of ${domain} ends with +all, which lets anyone send in its name. End it with ~all or -all.`,
    );
  if (read.lookups > MAX_SPF_LOOKUPS) {
    advice.push(
      `The SPF record of ${domain} needs more than ${MAX_SPF_LOOKUPS} DNS lookups, where receivers give up. Remove includes that are no longer used.`,
    );
    return finding('fail', advice, null);
  }
  const missing = isOpen ? null : await whyNotCovered(dns, read, question, signal);
  if (missing !== null) advice.push(missing);
  if (advice.length > 0) return finding('fail', advice, merged([record], missing && allowed));
  return read.isPartial ? null : finding('pass', [], null);
}

/** Merges the terms of all records, and adds the missing term before the end. */
function merged(records: readonly string[], missing: string | null): string[] {
  const terms = records.flatMap((record) => record.trim().split(/\s+/).slice(1));
  const ends = terms.filter((term) => /^[-~?]all$/i.test(term));
  const kept = terms.filter((term) => !/^[-+~?]?all$/i.test(term) && !/^redirect=/i.test(term));
  const redirects = terms.filter((term) => /^redirect=/i.test(term));
  const end = ends.find((term) => term.startsWith('-')) ?? ends[0];
  // A redirect applies only to a record that ends without `all`.
  const tail = end === undefined && redirects.length === 1 ? redirects : [end ?? SOFT_FAIL];
  return [...new Set([...kept, ...(missing === null ? [] : [missing])]), ...tail];
}

async function whyNotCovered(
  dns: DnsClient,
  read: ReadSpf,
  { domain, smtpHost, provider }: SpfQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  if (read.isPartial) return null;
  if (provider !== null) {
    const { include, name } = provider;
    if (include === null || namesDomain(read, include)) return null;
    return `The SPF record of ${domain} does not name ${name}, so receivers may treat this mail as forged. Add include:${include} before its end.`;
  }
  // An unknown provider's addresses are known only to the author of an include for it.
  if ([...read.terms].some((term) => /^(?:include:|redirect=|exists:|ptr)/.test(term))) return null;
  const answer = await dns.addresses(smtpHost, signal);
  if (answer.kind !== 'found') return null;
  const isNamed = await namesAddress(dns, read, { domain, addresses: answer.records }, signal);
  if (isNamed !== false) return null;
  return `The SPF record of ${domain} does not name ${smtpHost}. If mail leaves from that server, add a:${smtpHost} before its end.`;
}

function namesDomain({ terms }: ReadSpf, include: string): boolean {
  return terms.has(`include:${include}`) || terms.has(`redirect=${include}`);
}

/** Whether the record's own terms match one of the addresses; null when name servers did not answer. */
async function namesAddress(
  dns: DnsClient,
  { terms }: ReadSpf,
  { domain, addresses }: { domain: string; addresses: readonly string[] },
  signal: AbortSignal,
): Promise<boolean | null> {
  const hosts: string[] = [];
  for (const term of terms) {
    const [, kind = '', value = domain] = /^(ip4|ip6|a|mx)(?::([^/]+))?(?:\/.*)?$/.exec(term) ?? [];
    if (kind === 'ip4' || kind === 'ip6') {
      if (addresses.some((address) => isWithin(address, term.slice(4)))) return true;
    } else if (kind === 'a') hosts.push(value);
    else if (kind === 'mx') {
      const answer = await dns.mx(value, signal);
      if (answer.kind === 'unknown') return null;
      if (answer.kind === 'found') hosts.push(...answer.records.map(({ exchange }) => exchange));
    }
  }
  const resolved = await Promise.all(
    hosts.slice(0, MAX_SPF_LOOKUPS).map((host) => dns.addresses(host, signal)),
  );
  const known = resolved.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
  if (known.some((address) => addresses.includes(address))) return true;
  return resolved.some(({ kind }) => kind === 'unknown') ? null : false;
}

function isWithin(address: string, range: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    const [network, bits] = range.includes('/')
      ? ipaddr.parseCIDR(range)
      : [ipaddr.parse(range), ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128];
    return parsed.kind() === network.kind() && parsed.match(network, bits);
  } catch {
    return false;
  }
}
