import type { DnsClient } from '#src/platform/dns.ts';
import type { Finding } from './deliverability.ts';

/**
 * Reads what receivers should do with mail that fails (RFC 7489 §6.6.3): the domain's own policy, else that of the
 * organizational domain. Null when name servers did not answer.
 */
export async function checkDmarc(
  dns: DnsClient,
  { domain, organization, reportsTo }: { domain: string; organization: string; reportsTo: string },
  signal: AbortSignal,
): Promise<Finding | null> {
  const names = [...new Set([domain, organization])];
  const answers = await Promise.all(names.map((name) => dns.txt(`_dmarc.${name}`, signal)));
  const found = answers.flatMap((answer, index) => {
    const record = answer.kind === 'found' ? answer.records.find(isDmarc) : undefined;
    return record === undefined ? [] : [{ record, name: names[index] ?? domain }];
  })[0];
  if (found === undefined) {
    if (answers.some((answer) => answer.kind === 'unknown')) return null;
    return {
      state: 'fail',
      record: null,
      publish: {
        name: `_dmarc.${domain}`,
        type: 'TXT',
        value: `v=DMARC1; p=quarantine; rua=mailto:${reportsTo}`,
      },
      advice: [
        `${domain} has no DMARC record. Add a TXT record at _dmarc.${domain}, such as v=DMARC1; p=quarantine.`,
      ],
    };
  }
  const { record, name } = found;
  const tags = tagsOf(record);
  const policyTag = name !== domain && tags.has('sp') ? 'sp' : 'p';
  if (tags.get(policyTag) !== 'none') return { state: 'pass', record, publish: null, advice: [] };
  const value = record.replace(
    new RegExp(`(;\\s{0,9}${policyTag}\\s{0,9}=\\s{0,9})none`, 'i'),
    '$1quarantine',
  );
  return {
    state: 'warn',
    record,
    publish: { name: `_dmarc.${name}`, type: 'TXT', value },
    advice: [
      `The DMARC policy of ${domain} is ${policyTag}=none, which asks receivers to do nothing against forged mail. Change it to quarantine or reject once your own mail passes.`,
    ],
  };
}

function isDmarc(text: string): boolean {
  return /^v=DMARC1\s*(?:;|$)/.test(text);
}

function tagsOf(record: string): Map<string, string> {
  return new Map(
    record.split(';').flatMap((part) => {
      const at = part.indexOf('=');
      if (at === -1) return [];
      return [
        [
          part.slice(0, at).trim().toLowerCase(),
          part
            .slice(at + 1)
            .trim()
            .toLowerCase(),
        ],
      ];
    }),
  );
}
