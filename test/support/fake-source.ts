import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RecordedRequest {
  method: string;
  /** Path and query. */
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: string | Buffer | object;
}

/** How a source fails for one request. */
export type SourceFault =
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string | object }
  /** The right response, cut off in the middle of its body. */
  | { kind: 'truncate' }
  /** 200 with a body that is not JSON. */
  | { kind: 'wrong-json' }
  /** The right response, one byte a second. */
  | { kind: 'drip' }
  | { kind: 'redirect'; location: string }
  | { kind: 'reset' };

/** A local server in place of a vendor's, which fails on command. */
export interface FakeSource extends AsyncDisposable {
  readonly url: string;
  readonly requests: RecordedRequest[];
  /** Called for every request; null: respond as the vendor would. */
  fault: (request: RecordedRequest) => SourceFault | null;
  /** Delay before each response; 0 by default. */
  delayMs: number;
}

export async function startFakeSource(
  answer: (request: RecordedRequest) => FakeAnswer | Promise<FakeAnswer>,
): Promise<FakeSource> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const request: RecordedRequest = {
        method: incoming.method ?? 'GET',
        url: new URL(incoming.url ?? '/', source.url),
        headers: incoming.headers,
        body: await text(incoming),
      };
      requests.push(request);
      if (source.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, source.delayMs));
      const fault = source.fault(request);
      if (fault?.kind === 'reset') incoming.socket.resetAndDestroy();
      else await respond(outgoing, await faultyAnswer(fault, () => answer(request)), fault);
    })().catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end(`The fake source failed: ${String(error)}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const source: FakeSource = {
    url: `http://127.0.0.1:${port}`,
    requests,
    fault: () => null,
    delayMs: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return source;
}

async function faultyAnswer(
  fault: SourceFault | null,
  answer: () => FakeAnswer | Promise<FakeAnswer>,
): Promise<FakeAnswer> {
  switch (fault?.kind) {
    case 'status':
      return { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' };
    case 'wrong-json':
      return { headers: { 'content-type': 'application/json' }, body: '<html>Gateway</html>' };
    case 'redirect':
      return { status: 302, headers: { location: fault.location } };
    case 'truncate':
    case 'drip':
    case 'reset':
    case undefined:
      return answer();
  }
}

async function respond(
  outgoing: ServerResponse,
  { status = 200, headers = {}, body = '' }: FakeAnswer,
  fault: SourceFault | null,
): Promise<void> {
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  outgoing.writeHead(status, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  });
  if (fault?.kind === 'truncate') {
    outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
  } else if (fault?.kind === 'drip') {
    for (const byte of bytes) {
      if (outgoing.destroyed) return;
      outgoing.write(Buffer.from([byte]));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    outgoing.end();
  } else {
    outgoing.end(outgoing.req.method === 'HEAD' ? undefined : bytes);
  }
}
