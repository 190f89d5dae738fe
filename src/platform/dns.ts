import { Resolver } from 'node:dns/promises';

/** The answer of a name server; `unknown` when none answered in time. */
export type DnsAnswer<T> = { kind: 'found'; records: T[] } | { kind: 'none' } | { kind: 'unknown' };

/** Look-ups of public records, each with a deadline of a few seconds. Rejects only with the signal's reason. */
export interface DnsClient {
  /** Mail exchangers, most preferred first; RFC 7505's null MX is a record with an empty `exchange`. */
  mx(
    domain: string,
    signal: AbortSignal,
  ): Promise<DnsAnswer<{ exchange: string; priority: number }>>;
  /** TXT records, the strings of each joined. */
  txt(name: string, signal: AbortSignal): Promise<DnsAnswer<string>>;
  /** IPv4 and IPv6 addresses. */
  addresses(name: string, signal: AbortSignal): Promise<DnsAnswer<string>>;
}

const TIMEOUT_MS = 1_500;
const TRIES = 2;
const DEADLINE_MS = 4_000;

/** Queries the system's name servers. */
export function createDnsClient(): DnsClient {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return {
    mx: (domain, signal) =>
      answerOf(
        async () => (await resolver.resolveMx(domain)).toSorted((a, b) => a.priority - b.priority),
        signal,
      ),
    txt: (name, signal) =>
      answerOf(
        async () => (await resolver.resolveTxt(name)).map((strings) => strings.join('')),
        signal,
      ),
    addresses: (name, signal) =>
      answerOf(async () => {
        const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
        const records = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
        const failed = found.find((one) => one.status === 'rejected');
        if (records.length === 0 && failed) throw failed.reason;
        return records;
      }, signal),
  };
}

/** Authoritative answers: there is no such name, or no such record. */
const NONE = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN']);

async function answerOf<T>(lookUp: () => Promise<T[]>, signal: AbortSignal): Promise<DnsAnswer<T>> {
  signal.throwIfAborted();
  const late = Promise.withResolvers<DnsAnswer<T>>();
  const timer = setTimeout(() => late.resolve({ kind: 'unknown' }), DEADLINE_MS);
  const asked = lookUp().then(
    (records): DnsAnswer<T> =>
      records.length === 0 ? { kind: 'none' } : { kind: 'found', records },
    (error: unknown): DnsAnswer<T> => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      return NONE.has(code) ? { kind: 'none' } : { kind: 'unknown' };
    },
  );
  try {
    const answer = await Promise.race([asked, late.promise]);
    signal.throwIfAborted();
    return answer;
  } finally {
    clearTimeout(timer);
  }
}
