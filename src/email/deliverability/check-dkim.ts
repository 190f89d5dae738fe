import type { DnsClient } from '#src/platform/dns.ts';
import type { Finding } from './deliverability.ts';
import { dkimSelectors } from './dkim-selectors.ts';
import type { ProviderRecords } from './provider-records.ts';

const KEY = /(?:^|;)\s*p=[^;\s]/;
/** The key's host name is derived from the domain: https://www.fastmail.help/hc/en-us/articles/360060591153 */
const FASTMAIL = 'fm1';

/**
 * Checks whether a key of the domain is published (RFC 6376). Only the signer knows its selectors, so the common ones
 * are tried. Null when name servers did not answer.
 */
export async function checkDkim(
  dns: DnsClient,
  {
    domain,
    smtpHost,
    provider,
  }: { domain: string; smtpHost: string; provider: ProviderRecords | null },
  signal: AbortSignal,
): Promise<Finding | null> {
  const selectors = dkimSelectors(smtpHost);
  if (selectors === null) return { state: 'unknown', record: null, publish: null, advice: [] };
  const answers = await Promise.all(
    selectors.map((selector) => dns.txt(`${selector}._domainkey.${domain}`, signal)),
  );
  const record = answers
    .flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
    .find((text) => KEY.test(text));
  if (record !== undefined) return { state: 'pass', record, publish: null, advice: [] };
  if (answers.some((answer) => answer.kind === 'unknown')) return null;
  const where = provider === null ? 'it gives' : `that you find in ${provider.dkimAt}`;
  return {
    state: 'warn',
    record: null,
    publish:
      provider?.name === 'Fastmail'
        ? {
            name: `${FASTMAIL}._domainkey.${domain}`,
            type: 'CNAME',
            value: `${FASTMAIL}.${domain}.dkim.fmhosted.com`,
          }
        : null,
    advice: [
      `No DKIM key of ${domain} was found under the common selectors. Let your mail provider sign for ${domain} and publish the key ${where}. If it already does under another selector, ignore this.`,
    ],
  };
}
