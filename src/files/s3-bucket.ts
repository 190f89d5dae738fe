import { AwsV4Signer } from 'aws4fetch';
import { RetryLater } from '#src/platform/errors.ts';

export interface S3Settings {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** For addresses that the operator configures. */
  fetch: typeof globalThis.fetch;
  clock: () => Date;
}

/** The four bucket operations that a file store needs. Each throws RetryLater when the store cannot be reached. */
export interface S3Bucket {
  /** @param sha256 hash of the content, in hex */
  put(key: string, content: Blob, sha256: string): Promise<void>;
  /** Null when there is no such object. */
  get(key: string): Promise<Buffer | null>;
  remove(key: string): Promise<void>;
  /** The XML of one page of keys. */
  list(prefix: string, token: string | null): Promise<string>;
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** For the whole exchange; a file of 100 MB takes half of it at 2 MB/s. */
const TIMEOUT_MS = 100_000;
const RETRY_MS = 2_000;
const MAX_SHOWN_LENGTH = 200;

interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE';
  path: string;
  body?: Blob;
  sha256?: string;
}

/**
 * Signed requests to one bucket, path-style, which MinIO, Ceph and hosted stores all support.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function createS3Bucket(settings: S3Settings): S3Bucket {
  const base = `${settings.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(settings.bucket)}`;
  const send = (request: S3Request): Promise<{ status: number; bytes: Buffer }> =>
    sendSigned(settings, base, request);
  return {
    async put(key, content, sha256) {
      const { status, bytes } = await send({ method: 'PUT', path: key, body: content, sha256 });
      if (status !== 200) throw refused(settings, 'PUT', status, bytes);
    },
    async get(key) {
      const { status, bytes } = await send({ method: 'GET', path: key });
      if (status === 200) return bytes;
      if (status === 404 && !isAbout('NoSuchBucket', bytes)) return null;
      throw refused(settings, 'GET', status, bytes);
    },
    async remove(key) {
      const { status, bytes } = await send({ method: 'DELETE', path: key });
      // S3 itself answers 204 for a missing object; other stores answer 404.
      const isGone = status === 200 || status === 204 || status === 404;
      if (!isGone) throw refused(settings, 'DELETE', status, bytes);
    },
    async list(prefix, token) {
      const query = new URLSearchParams({ 'list-type': '2', prefix });
      if (token !== null) query.set('continuation-token', token);
      const { status, bytes } = await send({ method: 'GET', path: `?${query.toString()}` });
      if (status !== 200) throw refused(settings, 'list', status, bytes);
      return bytes.toString();
    },
  };
}

async function sendSigned(
  settings: S3Settings,
  base: string,
  { method, path, body, sha256 = EMPTY_SHA256 }: S3Request,
): Promise<{ status: number; bytes: Buffer }> {
  const url = `${base}/${path}`;
  const headers = await signedHeaders(settings, { method, url, sha256 });
  try {
    const response = await settings.fetch(url, {
      method,
      headers,
      ...(body && { body }),
      // The signature is valid for one address only.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status < 500 && response.status !== 429) return { status: response.status, bytes };
    throw new RetryLater(RETRY_MS, `The file store answered ${response.status}.`);
  } catch (error) {
    if (error instanceof RetryLater) throw error;
    throw new RetryLater(RETRY_MS, 'The file store cannot be reached.', { cause: error });
  }
}

async function signedHeaders(
  settings: S3Settings,
  { method, url, sha256 }: { method: string; url: string; sha256: string },
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    method,
    url,
    service: 's3',
    region: settings.region,
    accessKeyId: settings.accessKeyId,
    secretAccessKey: settings.secretAccessKey,
    headers: { 'X-Amz-Content-Sha256': sha256 },
    datetime: settings
      .clock()
      .toISOString()
      .replace(/[:-]|\.\d{3}/g, ''),
  });
  return Object.fromEntries((await signer.sign()).headers);
}

function isAbout(code: string, bytes: Buffer): boolean {
  return bytes.toString().includes(`<Code>${code}</Code>`);
}

/** For the operator to fix: wrong keys, missing bucket, another region. */
function refused({ bucket }: S3Settings, request: string, status: number, bytes: Buffer): Error {
  const [, code = ''] = /<Code>([^<]{1,100})<\/Code>/.exec(bytes.toString()) ?? [];
  return new Error(
    `The file store refused a ${request} in the bucket ${bucket} (S3_BUCKET): ${status} ${code}`.slice(
      0,
      MAX_SHOWN_LENGTH,
    ),
  );
}
