import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { DnsClient } from '#src/platform/dns.ts';
import { checkDkim } from './check-dkim.ts';
import { checkDmarc } from './check-dmarc.ts';
import { checkSpf } from './check-spf.ts';
import type { Deliverability, Finding } from './deliverability.ts';
import { explainAlignment } from './explain-alignment.ts';
import { providerOf } from './provider-records.ts';

const DEADLINE_MS = 6_000;

export interface Sender {
  email: string;
  smtpUser: string;
  smtpHost: string;
  /** Whether the address belongs to a mailbox provider, whose DNS its user cannot change. */
  isProviders: boolean;
}

export interface CheckedSender {
  /** Sentences with a remedy; empty if there are no problems. */
  warnings: string[];
  /** Null when the address has no domain. */
  deliverability: Omit<Deliverability, 'checked_at'> | null;
}

/**
 * Finds what may keep this sender's mail out of inboxes. DNS cannot answer everything, so some advice is a guess, and
 * none of it prevents sending. Takes at most 6 s.
 * @throws the signal's reason
 */
export async function checkSender(
  dns: DnsClient,
  sender: Sender,
  signal: AbortSignal,
): Promise<CheckedSender> {
  const { email, smtpHost } = sender;
  const domain = domainOf(email);
  const mismatch = adviceOnUser(sender);
  if (domain === '') return { warnings: mismatch, deliverability: null };
  if (sender.isProviders)
    return { warnings: mismatch, deliverability: ofProvider(domain, smtpHost) };
  const provider = providerOf(smtpHost);
  using deadline = startDeadline(signal, DEADLINE_MS);
  const inTime = <T>(asked: Promise<T>): Promise<T | null> =>
    untilAborted(asked, deadline.signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (deadline.expired) return null;
      throw error;
    });
  const [spf, dkim, dmarc] = await Promise.all([
    inTime(checkSpf(dns, { domain, smtpHost, provider }, deadline.signal)),
    inTime(checkDkim(dns, { domain, smtpHost, provider }, deadline.signal)),
    inTime(
      checkDmarc(
        dns,
        { domain, organization: organizationOf(domain), reportsTo: email },
        deadline.signal,
      ),
    ),
  ]);
  const findings = { spf, dkim, dmarc };
  const known = {
    spf: spf ?? UNKNOWN,
    dkim: dkim ?? UNKNOWN,
    dmarc: dmarc ?? UNKNOWN,
  };
  return {
    warnings: [
      ...mismatch,
      ...[known.spf, known.dkim, known.dmarc].flatMap(({ advice }) => advice),
      ...adviceOnSilence(domain, findings),
    ],
    deliverability: {
      domain,
      smtp_host: smtpHost,
      ...known,
      alignment: explainAlignment({ domain, spf: known.spf, dkim: known.dkim, provider }),
    },
  };
}

const UNKNOWN: Finding = { state: 'unknown', record: null, publish: null, advice: [] };
const PROVIDERS: Finding = { state: 'provider', record: null, publish: null, advice: [] };

function ofProvider(domain: string, smtpHost: string): CheckedSender['deliverability'] {
  return {
    domain,
    smtp_host: smtpHost,
    spf: PROVIDERS,
    dkim: PROVIDERS,
    dmarc: PROVIDERS,
    alignment: {
      spf: 'aligned',
      dkim: 'aligned',
      explanation: `${domain} belongs to a mailbox provider, which publishes these records itself. Send through its own server.`,
    },
  };
}

function adviceOnUser({ email, smtpUser }: Sender): string[] {
  if (!smtpUser.includes('@')) return [];
  const [sender, user] = [organizationOf(domainOf(email)), organizationOf(domainOf(smtpUser))];
  if (sender === user || sender === '' || user === '') return [];
  return [
    `The account sends as ${sender} but signs in as a user of ${user}, so receivers may treat its mail as forged. Use an address of ${user}, or let the provider sign for ${sender}.`,
  ];
}

function adviceOnSilence(domain: string, findings: Record<string, Finding | null>): string[] {
  const silent = Object.keys(findings).filter((name) => findings[name] === null);
  if (silent.length === 0) return [];
  const names = silent.map((name) => name.toUpperCase()).join(', ');
  return [
    `The name servers of ${domain} did not answer in time, so ${names} could not be checked. Verify the account again later.`,
  ];
}

function domainOf(email: string): string {
  return domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
}

function organizationOf(domain: string): string {
  return parse(domain, { allowPrivateDomains: true }).domain ?? domain;
}
