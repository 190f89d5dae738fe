import type { DnsClient } from '#src/platform/dns.ts';

/** RFC 7208 §4.6.4: a receiver gives up above this. */
export const MAX_SPF_LOOKUPS = 10;

/**
 * The number of DNS lookups that a receiver needs for this SPF record, including those of included records. Counting
 * stops above the limit. Null when name servers did not answer.
 */
export async function countSpfLookups(
  dns: DnsClient,
  record: string,
  signal: AbortSignal,
): Promise<number | null> {
  let lookups = 0;
  let isUnknown = false;
  const visit = async (text: string): Promise<void> => {
    const terms = text.toLowerCase().split(/\s+/).slice(1);
    lookups += terms.filter((term) => NEEDS_LOOKUP.test(term)).length;
    for (const term of terms) {
      const name = NESTED.exec(term)?.[1];
      // A macro is only expanded for an actual message.
      if (lookups > MAX_SPF_LOOKUPS || name === undefined || name.includes('%')) continue;
      const answer = await dns.txt(name, signal);
      if (answer.kind === 'unknown') isUnknown = true;
      const nested = answer.kind === 'found' ? answer.records.find(isSpf) : undefined;
      if (nested !== undefined) await visit(nested);
    }
  };
  await visit(record);
  return isUnknown && lookups <= MAX_SPF_LOOKUPS ? null : lookups;
}

export function isSpf(record: string): boolean {
  return /^v=spf1(?: |$)/i.test(record);
}

const NEEDS_LOOKUP = /^[+?~-]?(?:include:|exists:|(?:a|mx|ptr)(?:[:/]|$))|^redirect=/;
const NESTED = /^(?:[+?~-]?include:|redirect=)(.+)$/;
