import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { DnsClient } from '#src/platform/dns.ts';
import { countSpfLookups, isSpf, MAX_SPF_LOOKUPS } from './count-spf-lookups.ts';
import { dkimSelectors } from './dkim-selectors.ts';
import { isProviderDomain } from './known-providers.ts';

const DEADLINE_MS = 6_000;

/** The findings on one of the three records; `null` when the name servers did not answer. */
type Advice = string[] | null;

/**
 * What may keep this account's mail out of inboxes: sentences with a remedy; empty when nothing was found. Some advice
 * is a guess where DNS does not tell, so it never prevents sending. Takes at most 6 s.
 * @throws the signal's reason
 */
export async function adviseSender(
  dns: DnsClient,
  account: { email: string; smtpUser: string; smtpHost: string },
  signal: AbortSignal,
): Promise<string[]> {
  const domain = domainOf(account.email);
  const mismatch = adviceOnUser(account);
  if (domain === '' || isProviderDomain(domain)) return mismatch;
  using deadline = startDeadline(signal, DEADLINE_MS);
  const asked = [
    adviceOnSpf(dns, domain, deadline.signal),
    adviceOnDkim(dns, domain, account.smtpHost, deadline.signal),
    adviceOnDmarc(dns, domain, deadline.signal),
  ].map((advice) =>
    untilAborted(advice, deadline.signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (deadline.expired) return null;
      throw error;
    }),
  );
  const answers = await Promise.all(asked);
  const unanswered = ['SPF', 'DKIM', 'DMARC'].filter((_, index) => answers[index] === null);
  return [
    ...mismatch,
    ...answers.flatMap((advice) => advice ?? []),
    ...(unanswered.length === 0
      ? []
      : [
          `The name servers of ${domain} could not be asked in time, so nothing is said about ${unanswered.join(', ')}. Verify the account again later.`,
        ]),
  ];
}

function adviceOnUser({ email, smtpUser }: { email: string; smtpUser: string }): string[] {
  if (!smtpUser.includes('@')) return [];
  const [sender, user] = [organizationOf(domainOf(email)), organizationOf(domainOf(smtpUser))];
  if (sender === user || sender === '' || user === '') return [];
  return [
    `The account sends as ${sender} but signs in as a user of ${user}, so receivers may treat its mail as forged. Use an address of ${user}, or let the provider sign for ${sender}.`,
  ];
}

/** RFC 7208. */
async function adviceOnSpf(dns: DnsClient, domain: string, signal: AbortSignal): Promise<Advice> {
  const answer = await dns.txt(domain, signal);
  if (answer.kind === 'unknown') return null;
  const records = answer.kind === 'found' ? answer.records.filter(isSpf) : [];
  const [record] = records;
  if (record === undefined) {
    return [
      `${domain} has no SPF record. Add a TXT record that begins with v=spf1 and names the servers of your mail provider.`,
    ];
  }
  if (records.length > 1) {
    return [
      `${domain} has ${records.length} SPF records, which receivers treat as an error. Merge them into one.`,
    ];
  }
  const advice: string[] = [];
  if (/(?:^|\s)\+?all(?:\s|$)/i.test(record)) {
    advice.push(
      `The SPF record of ${domain} ends with +all, which lets anyone send in its name. End it with ~all or -all.`,
    );
  }
  const lookups = await countSpfLookups(dns, record, signal);
  if (lookups !== null && lookups > MAX_SPF_LOOKUPS) {
    advice.push(
      `The SPF record of ${domain} needs more than ${MAX_SPF_LOOKUPS} DNS lookups, where receivers give up. Remove includes that are no longer used.`,
    );
  }
  return lookups === null && advice.length === 0 ? null : advice;
}

/** RFC 6376: keys are published under selectors that only the signer knows, so the usual ones are tried. */
async function adviceOnDkim(
  dns: DnsClient,
  domain: string,
  smtpHost: string,
  signal: AbortSignal,
): Promise<Advice> {
  const selectors = dkimSelectors(smtpHost);
  // The provider's selectors cannot be guessed.
  if (selectors === null) return [];
  const answers = await Promise.all(
    selectors.map((selector) => dns.txt(`${selector}._domainkey.${domain}`, signal)),
  );
  const hasKey = answers.some(
    (answer) =>
      answer.kind === 'found' && answer.records.some((record) => /(?:^|;)\s*p=[^;\s]/.test(record)),
  );
  if (hasKey) return [];
  if (answers.some((answer) => answer.kind === 'unknown')) return null;
  return [
    `No DKIM key of ${domain} was found under the usual names. Let your mail provider sign for ${domain} and publish the key it gives; if it does so already under another name, all is well.`,
  ];
}

/** RFC 7489 §6.6.3: the domain's own record, otherwise that of the organizational domain. */
async function adviceOnDmarc(dns: DnsClient, domain: string, signal: AbortSignal): Promise<Advice> {
  const names = [...new Set([domain, organizationOf(domain)])];
  const answers = await Promise.all(names.map((name) => dns.txt(`_dmarc.${name}`, signal)));
  const record = answers
    .flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
    .find((text) => /^v=DMARC1\s*(?:;|$)/.test(text));
  if (record === undefined) {
    if (answers.some((answer) => answer.kind === 'unknown')) return null;
    return [
      `${domain} has no DMARC record. Add a TXT record at _dmarc.${domain}, such as v=DMARC1; p=quarantine.`,
    ];
  }
  if (!/;\s*p\s*=\s*none\s*(?:;|$)/i.test(record)) return [];
  return [
    `The DMARC policy of ${domain} is p=none, which asks receivers to do nothing against forged mail. Change it to quarantine or reject once your own mail passes.`,
  ];
}

function domainOf(email: string): string {
  return domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
}

function organizationOf(domain: string): string {
  return parse(domain, { allowPrivateDomains: true }).domain ?? domain;
}
