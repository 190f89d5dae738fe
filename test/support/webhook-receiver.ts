import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A receiver's reaction to one request. */
export type Behaviour =
  | {
      kind: 'answer';
      status?: number;
      headers?: Record<string, string>;
      body?: string | Buffer;
      delayMs?: number;
      /** Answers when this settles. */
      after?: Promise<unknown>;
    }
  /** Accepts the request and never answers. */
  | { kind: 'hang' }
  /** Sends one byte of its headers, or of its body, every `everyMs`, without end. */
  | { kind: 'slow-headers'; everyMs: number }
  | { kind: 'slow-body'; everyMs: number; status?: number }
  /** A body of this many bytes, generated while it is read. */
  | { kind: 'large-body'; bytes: number; status?: number; headers?: Record<string, string> }
  /** Resets the connection before the body is read, or after it. */
  | { kind: 'reset-early' }
  | { kind: 'reset-late' }
  /** Ends the connection without an answer. */
  | { kind: 'close' }
  /** Sends these bytes unchanged, HTTP or not, and ends the connection. */
  | { kind: 'raw'; text: string };

export interface ReceivedRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** The raw bytes; empty when the receiver did not read them. */
  body: Buffer;
  /** On the monotonic clock, in ms. */
  arrivedAtMs: number;
}

/** `count` is the number of this request among those to its path, from 1. */
export type Behave = (path: string, count: number) => Behaviour;

export interface WebhookReceiver extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  requestsTo(path: string): ReceivedRequest[];
  behave: Behave;
  /** Total and open connections. */
  readonly connections: number;
  readonly openConnections: number;
  /** Bytes of `large-body` answers that were read. */
  readonly largeBytesSent: number;
}

/** Each behaviour once, in this order; the last one is repeated. */
export function inTurn(...behaviours: Behaviour[]): Behave {
  return (_, count) => behaviours[Math.min(count, behaviours.length) - 1] ?? { kind: 'hang' };
}

const MAX_REQUESTS = 100_000;
const MAX_BODY_BYTES = 1_000_000;

/** A receiver on this machine, well-behaved by default. With `tls` it has an untrusted certificate. */
export async function startReceiver(
  options: { tls?: boolean; behave?: Behave } = {},
): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const open = new Set<Socket>();
  const counts = new Map<string, number>();
  let connections = 0;
  let largeBytesSent = 0;
  const onLargeBytes = (bytes: number): void => {
    largeBytesSent += bytes;
  };
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '/';
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    const behaviour = receiver.behave(path, count);
    const arrivedAtMs = performance.now();
    const body = behaviour.kind === 'reset-early' ? Buffer.alloc(0) : await readBody(incoming);
    if (requests.length >= MAX_REQUESTS) throw new Error('More requests than a test should make.');
    requests.push({ path, headers: incoming.headers, body, arrivedAtMs });
    await act(behaviour, outgoing, onLargeBytes);
  };
  const server = await openServer(options.tls ?? false);
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // A sender that disconnects during an answer is not a receiver failure.
    serve(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `${options.tls === true ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    requestsTo: (path) => requests.filter((request) => request.path === path),
    behave: options.behave ?? (() => ({ kind: 'answer' })),
    get connections() {
      return connections;
    },
    get openConnections() {
      return open.size;
    },
    get largeBytesSent() {
      return largeBytesSent;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

async function openServer(isTls: boolean): Promise<Server> {
  if (!isTls) return createServer();
  const server = createTlsServer({ key: await readPem('key'), cert: await readPem('cert') });
  return server.on('tlsClientError', () => undefined);
}

/** Self-signed, for `localhost` and 127.0.0.1; it protects nothing. */
function readPem(name: 'key' | 'cert'): Promise<Buffer> {
  return readFile(new URL(`../fixtures/tls/localhost-${name}.pem`, import.meta.url));
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Without an encoding, a request yields buffers.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('A larger body than a test should send.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function act(
  behaviour: Behaviour,
  outgoing: ServerResponse,
  onLargeBytes: (bytes: number) => void,
): Promise<void> {
  const { socket } = outgoing.req;
  switch (behaviour.kind) {
    case 'answer': {
      const { status = 204, headers = {}, body = '', delayMs = 0, after } = behaviour;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      await after;
      outgoing.writeHead(status, headers).end(body);
      return;
    }
    case 'hang':
      return;
    case 'slow-headers':
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      everyMs(behaviour.everyMs, socket, () => socket.write('x'));
      return;
    case 'slow-body':
      outgoing.writeHead(behaviour.status ?? 200, { 'content-length': '1000000' });
      everyMs(behaviour.everyMs, socket, () => outgoing.write('x'));
      return;
    case 'large-body':
      outgoing.writeHead(behaviour.status ?? 200, behaviour.headers);
      await pipeline(Readable.from(largeBody(behaviour.bytes, onLargeBytes)), outgoing);
      return;
    case 'reset-early':
    case 'reset-late':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.end();
      return;
    case 'raw':
      socket.end(behaviour.text);
  }
}

function everyMs(ms: number, socket: Socket, write: () => void): void {
  write();
  const timer = setInterval(write, ms);
  socket.on('close', () => clearInterval(timer));
}

function* largeBody(bytes: number, onSent: (bytes: number) => void): Generator<Buffer> {
  const block = Buffer.alloc(65_536, 'x');
  for (let left = bytes; left > 0; left -= block.length) {
    onSent(Math.min(left, block.length));
    yield block.subarray(0, left);
  }
}
