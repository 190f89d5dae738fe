import { explainOutboundFailure } from '#src/platform/explain-outbound-failure.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import { SearchProviderFailed } from './search-provider.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 5_000_000;

/** A provider's address, and the setting that defines it. */
export interface ProviderAddress {
  /** `SearXNG at searx.example` */
  label: string;
  host: string;
  setting: string;
}

export interface ProviderAnswer {
  status: number;
  /** The wait in `Retry-After`; null when there is none. */
  retryAfterSeconds: number | null;
  /** Parsed; undefined when the response is not JSON. */
  json: unknown;
}

/**
 * One GET request to a search provider; redirects are not followed.
 * @throws SearchProviderFailed when no complete response arrives within 10 s and 5 MB; the signal's reason when
 * aborted
 */
export async function askSearchProvider(
  fetch: typeof globalThis.fetch,
  address: ProviderAddress,
  request: { url: URL; headers: Record<string, string>; signal: AbortSignal; timeoutMs?: number },
): Promise<ProviderAnswer> {
  const { url, headers, signal, timeoutMs = TIMEOUT_MS } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    const text = await readText(response, address);
    const waitMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
    return {
      status: response.status,
      retryAfterSeconds: waitMs === null ? null : Math.ceil(waitMs / 1_000),
      json: parseJson(text),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SearchProviderFailed) throw error;
    throw unreached(address, error, deadline.aborted ? timeoutMs : null);
  }
}

async function readText(response: Response, address: ProviderAddress): Promise<string> {
  if (response.body === null) return '';
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  for await (const part of response.body) {
    byteCount += part.length;
    if (byteCount > MAX_BYTES) {
      throw new SearchProviderFailed(
        `${address.label} sent more than ${MAX_BYTES / 1_000_000} MB. Check that ${address.setting} is its address.`,
        { isTemporary: false },
      );
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreached(
  { label, host, setting }: ProviderAddress,
  cause: unknown,
  timeoutMs: number | null,
): SearchProviderFailed {
  const failure = explainOutboundFailure(cause, host);
  // Without a code, the message is the library's and may quote a header.
  const reason = failure.code === '' ? `${host} could not be called.` : failure.message;
  const sentence =
    timeoutMs === null
      ? `${label} could not be reached: ${reason}`
      : `${label} did not answer within ${timeoutMs / 1_000} s.`;
  return new SearchProviderFailed(`${sentence} Check that it runs, and that ${setting} is right.`, {
    isTemporary: timeoutMs !== null || failure.kind === 'timeout',
    ...(failure.code === '' ? {} : { cause }),
  });
}
