import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

const MAX_BODY_BYTES = 64_000;

/** A webhook as it came in. */
export interface ReceivedWebhook {
  /** Exactly the bytes that were sent: the signature is over these. */
  body: Buffer;
  /** The `X-Signature` header; empty when there is none. */
  signature: string;
}

/** The smallest receiver there is: it answers 204 and keeps what came first. */
export interface DemoReceiver extends AsyncDisposable {
  readonly url: string;
  /** @throws the signal's reason when nothing has come by then */
  first(signal: AbortSignal): Promise<ReceivedWebhook>;
}

/** Listens on 127.0.0.1, on a port of its own. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  const { promise, resolve } = Promise.withResolvers<ReceivedWebhook>();
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const signature = request.headers['x-signature'];
        resolve({ body, signature: typeof signature === 'string' ? signature : '' });
        response.writeHead(204).end();
      },
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}/webhook`,
    async first(signal) {
      signal.throwIfAborted();
      const aborted = Promise.withResolvers<never>();
      const abort = (): void => aborted.reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      try {
        return await Promise.race([promise, aborted.promise]);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What every receiver does first: compute the signature of the raw body, and compare in constant time. */
export function isSignedWith(secret: string, { body, signature }: ReceivedWebhook): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    const buffer = Buffer.from(part as Uint8Array); // without an encoding, a stream of node:http gives Buffers
    bytes += buffer.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('The body is too large.');
    parts.push(buffer);
  }
  return Buffer.concat(parts);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}
