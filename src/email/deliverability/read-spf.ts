import type { DnsClient } from '#src/platform/dns.ts';

/** RFC 7208 §4.6.4: a receiver gives up above this. */
export const MAX_SPF_LOOKUPS = 10;

/** An SPF record together with those that it includes. */
export interface ReadSpf {
  /** DNS lookups needed for evaluation. Counting stops above the limit. */
  lookups: number;
  /** The terms of all records without qualifiers, lower case: `include:_spf.example.com`, `ip4:192.0.2.1`. */
  terms: ReadonlySet<string>;
  /** Whether terms may be missing: name servers did not answer, or a macro hides a name. */
  isPartial: boolean;
}

/** Reads an SPF record and follows its includes, up to the lookup limit (RFC 7208). */
export async function readSpf(
  dns: DnsClient,
  record: string,
  signal: AbortSignal,
): Promise<ReadSpf> {
  const read = { lookups: 0, terms: new Set<string>(), isPartial: false };
  const visit = async (text: string): Promise<void> => {
    const terms = text.toLowerCase().split(/\s+/).slice(1);
    for (const term of terms) read.terms.add(term.replace(/^[+?~-]/, ''));
    read.lookups += terms.filter((term) => NEEDS_LOOKUP.test(term)).length;
    for (const term of terms) {
      const name = NESTED.exec(term)?.[1];
      if (read.lookups > MAX_SPF_LOOKUPS || name === undefined) continue;
      // Macros are expanded per message.
      if (name.includes('%')) {
        read.isPartial = true;
        continue;
      }
      const answer = await dns.txt(name, signal);
      if (answer.kind === 'unknown') read.isPartial = true;
      const nested = answer.kind === 'found' ? answer.records.find(isSpf) : undefined;
      if (nested !== undefined) await visit(nested);
    }
  };
  await visit(record);
  return read;
}

export function isSpf(record: string): boolean {
  return /^v=spf1(?: |$)/i.test(record);
}

const NEEDS_LOOKUP = /^[+?~-]?(?:include:|exists:|(?:a|mx|ptr)(?:[:/]|$))|^redirect=/;
const NESTED = /^(?:[+?~-]?include:|redirect=)(.+)$/;
