import type { OutboundResponse } from '#src/platform/http.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { readError, readListing, type S3Error, type S3Listing } from './s3-answers.ts';
import { openKeySource } from './s3-keys.ts';
import { signatureHeaders } from './s3-signature.ts';
import { encodeKey, encodeStrictly, type S3Store } from './s3-store.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';

const KEYS_PER_LISTING = 1_000;
/** Statuses that the caller handles itself; for 5xx and 429, `http` waits and retries. */
const REFUSALS = [301, 307, 400, 401, 403, 404] as const;
/** Codes that reject the access key, whatever was requested. */
const REJECTED_CODES = new Set([
  'AccountProblem',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'InvalidToken',
  'NotSignedUp',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  'Unauthorized',
]);

/** A refusal with one of these codes applies to all objects. */
const BUCKET_CODES = new Set(['NoSuchBucket', 'AllAccessDisabled', 'RequestTimeTooSkewed']);

const LIST_AGAIN_MS = 10_000;

export type S3Content =
  | { kind: 'content'; response: OutboundResponse }
  | { kind: 'gone' }
  /** In a storage class that requires a restore first. */
  | { kind: 'archived' }
  /** Only this object is refused. */
  | { kind: 'refused'; reason: string };

export interface S3Requests {
  /** At most 1,000 objects after a key, or after a continuation token of this run. */
  list(from: { after: string | null; token: string | null }): Promise<S3Listing>;
  get(key: string, maxBytes: number): Promise<S3Content>;
  /** Where people find it; only signed requests can open it. */
  linkOf(key: string): string;
}

/**
 * Signed requests to one bucket. The region is corrected once when the store names another one.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html,
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html,
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
export function createS3Requests(
  store: S3Store,
  context: ConnectorContext,
  stsAddress: (region: string) => string,
): S3Requests {
  const http = context.http.withHabits({ words: (response) => readError(response).words });
  const keySource = openKeySource(store, context, stsAddress);
  let region = store.region;

  async function send(path: string, maxBytes?: number): Promise<OutboundResponse> {
    const ask = async (): Promise<OutboundResponse> => {
      const url = `${store.addressOf(region)}${path}`;
      const keys = await keySource.keys();
      const now = context.clock();
      const headers = await signatureHeaders({ url, service: 's3', region, keys, now });
      return http.send({ url, headers, expect: REFUSALS, ...(maxBytes && { maxBytes }) });
    };
    const response = await ask();
    const named = isSuccess(response) ? null : readError(response).region;
    if (named === null || named === region) return response;
    region = named;
    return ask();
  }

  async function sendUntil<Answer>(
    path: string,
    read: (response: OutboundResponse) => Answer | null,
    maxBytes?: number,
  ): Promise<Answer> {
    // A proxy before the store may respond in its place: such a response gets a second chance.
    const answer = read(await send(path, maxBytes)) ?? read(await send(path, maxBytes));
    if (answer !== null) return answer;
    throw new SourceUnavailable(
      `${new URL(store.addressOf(region)).host} sent a response that is not from S3.`,
    );
  }

  return {
    list: ({ after, token }) => {
      const query = listQuery(store.prefix, after, token);
      // Without a slash after the bucket, like Amazon's own clients: some stores sign only that path.
      return sendUntil(`?${query}`, (response) => {
        if (!isSuccess(response))
          throw refusalOfBucket(store, readError(response), response.status);
        return readListing(response.text());
      });
    },
    get: (key, maxBytes) => sendUntil(`/${encodeKey(key)}`, contentOf, maxBytes),
    linkOf: (key) => `${store.addressOf(region)}/${encodeKey(key)}`,
  };
}

function listQuery(prefix: string, after: string | null, token: string | null): string {
  const query: Record<string, string> = {
    'list-type': '2',
    'max-keys': String(KEYS_PER_LISTING),
    // XML cannot represent every key unencoded.
    'encoding-type': 'url',
  };
  if (prefix !== '') query['prefix'] = prefix;
  if (token !== null) query['continuation-token'] = token;
  else if (after !== null) query['start-after'] = after;
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeStrictly(value)}`)
    .join('&');
}

function contentOf(response: OutboundResponse): S3Content | null {
  // Every S3 object comes with an ETag; a response without one is not from the store.
  if (isSuccess(response)) {
    return response.headers.get('etag') === null ? null : { kind: 'content', response };
  }
  const { code, words } = readError(response);
  if (REJECTED_CODES.has(code)) throw new CredentialRejected(words);
  // Not an error of this object: the listing, with which the run continues, reports the cause.
  if (BUCKET_CODES.has(code)) throw new SourceUnavailable(words, { retryAfterMs: LIST_AGAIN_MS });
  if (code === 'InvalidObjectState') return { kind: 'archived' };
  if (response.status !== 404) return { kind: 'refused', reason: words };
  // A "not found" without an S3 code may come from a gateway.
  return code.startsWith('HTTP ') ? null : { kind: 'gone' };
}

function refusalOfBucket(
  store: S3Store,
  { code, words }: S3Error,
  status: number,
): CredentialRejected | SourceRefused {
  const sentence = `The bucket ${store.bucket} cannot be listed. ${words}`;
  const isRejected = REJECTED_CODES.has(code) || code === 'AccessDenied' || status === 401;
  return isRejected ? new CredentialRejected(sentence) : new SourceRefused(sentence, { status });
}

function isSuccess({ status }: OutboundResponse): boolean {
  return status >= 200 && status < 300;
}
