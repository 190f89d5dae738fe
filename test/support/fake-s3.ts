import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const KEYS_PER_PAGE = 3;
const SECRET_KEY = 'a secret of the tests';

/** An S3 store on loopback with one bucket; it checks signatures and checksums, and fails on command. */
export interface FakeS3 extends AsyncDisposable {
  /** Settings for a Millrace that stores its files there. */
  readonly settings: Record<string, string>;
  /** Objects by key. */
  readonly objects: Map<string, Buffer>;
  /** Called for each request: a status to answer with, `cut` to break off in the middle, null to answer normally. */
  fault: (method: string, key: string) => number | 'cut' | null;
}

export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(`The fake store failed: ${String(error)}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const store: FakeS3 = {
    settings: {
      S3_ENDPOINT: `http://127.0.0.1:${port}/`,
      S3_BUCKET: 'files',
      S3_REGION: 'eu-test-1',
      S3_ACCESS_KEY_ID: 'AKIDTEST',
      S3_SECRET_ACCESS_KEY: SECRET_KEY,
    },
    objects,
    fault: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return store;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
    const method = request.method ?? 'GET';
    const key = url.pathname.replace('/files/', '');
    const fault = store.fault(method, key);
    if (fault === 'cut' && method === 'PUT') return void request.socket.resetAndDestroy();
    const body = await buffer(request);
    const wrong =
      typeof fault === 'number' ? `<Code>Fault${fault}</Code>` : refusal(request, url, body);
    if (wrong !== null) {
      const status = typeof fault === 'number' ? fault : 403;
      return void response.writeHead(status).end(`<Error>${wrong}</Error>`);
    }
    if (method === 'PUT') {
      objects.set(key, body);
      response.writeHead(200).end();
    } else if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (key === '') {
      response.writeHead(200).end(listing(objects, url.searchParams));
    } else {
      const found = objects.get(key);
      if (!found) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      response.writeHead(200, { 'content-length': found.length });
      if (fault !== 'cut') response.end(found);
      else response.write(found.subarray(0, found.length / 2), () => response.destroy());
    }
  }
}

function listing(objects: Map<string, Buffer>, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? '';
  const all = [...objects.keys()].toSorted();
  const rest = all.filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
  const page = rest.slice(0, KEYS_PER_PAGE);
  const isCut = page.length < rest.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  return `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents}</ListBucketResult>`;
}

/** Checks Signature Version 4 step by step; null when it is right. */
function refusal({ headers, method }: IncomingMessage, url: URL, body: Buffer): string | null {
  const [, day = '', signed = '', signature] =
    /Credential=AKIDTEST\/(\d{8})\/eu-test-1\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const canonical = [
    method,
    url.pathname,
    [...url.searchParams]
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .toSorted()
      .join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/eu-test-1/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [day, 'eu-test-1', 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${SECRET_KEY}`,
  );
  if (createHmac('sha256', key).update(text).digest('hex') !== signature) {
    return '<Code>SignatureDoesNotMatch</Code>';
  }
  return headers['x-amz-content-sha256'] === sha256(body)
    ? null
    : '<Code>XAmzContentSHA256Mismatch</Code>';
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
