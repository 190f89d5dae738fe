import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

const MAX_BODY_BYTES = 64_000;

/** A webhook as received. */
export interface ReceivedWebhook {
  /** The exact bytes that were sent, which the signature covers. */
  body: Buffer;
  /** The `X-Signature` header; empty when absent. */
  signature: string;
}

/** A minimal receiver: answers 204 and keeps the first webhook. */
export interface DemoReceiver extends AsyncDisposable {
  readonly url: string;
  /** @throws the signal's reason when nothing has arrived by then */
  first(signal: AbortSignal): Promise<ReceivedWebhook>;
}

/** Listens on 127.0.0.1, on a free port. */
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

/** The first step of every receiver: computes the signature of the raw body and compares in constant time. */
export function isSignedWith(secret: string, { body, signature }: ReceivedWebhook): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    const buffer = Buffer.from(part as Uint8Array); // without an encoding, a node:http stream yields Buffers
    bytes += buffer.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('The body is too large.');
    parts.push(buffer);
  }
  return Buffer.concat(parts);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}
