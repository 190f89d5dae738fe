import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The smallest PNG: one transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export interface ImageOrder {
  path: string;
  authorization: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test asserts of it is its check
  body: any;
}

/** The endpoint's response: JSON with this status, or the result of a function. */
export type ImageScript =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | ((response: ServerResponse, order: ImageOrder) => void | Promise<void>);

/** A fake OpenAI-compatible images endpoint. */
export interface FakeImages extends AsyncDisposable {
  /** Value for IMAGE_BASE_URL. */
  readonly url: string;
  /** Responses in turn; the last one is repeated. */
  script: ImageScript[];
  readonly orders: ImageOrder[];
  /** `path` → bytes, for images that a response links to. */
  readonly images: Record<string, Buffer>;
  /** Calls whose client left before the response was complete. */
  readonly abandoned: number;
}

export const imageAnswer = (more: object = {}): ImageScript => ({
  json: { created: 1, data: [{ b64_json: PNG.toString('base64'), ...more }] },
});

export async function startFakeImages(...script: ImageScript[]): Promise<FakeImages> {
  const orders: ImageOrder[] = [];
  const images: Record<string, Buffer> = {};
  let abandoned = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => undefined);
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1;
    });
    const path = request.url ?? '';
    const image = images[path];
    if (image) {
      response.end(image);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding, a request yields buffers
    const text = Buffer.concat(chunks).toString();
    const { authorization } = request.headers;
    const order = { path, authorization, body: text === '' ? null : JSON.parse(text) };
    orders.push(order);
    const answer = fake.script[Math.min(orders.length, fake.script.length) - 1] ?? { status: 404 };
    if (typeof answer === 'function') {
      await answer(response, order);
      return;
    }
    const headers = { 'content-type': 'application/json', ...answer.headers };
    response.writeHead(answer.status ?? 200, headers);
    response.end(answer.text ?? JSON.stringify(answer.json ?? {}));
  };
  const server = createServer((request, response) => {
    // A client that disconnects in the middle of its request is not a server failure.
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const fake: FakeImages = {
    script,
    url: `http://127.0.0.1:${port}/v1`,
    orders,
    images,
    get abandoned() {
      return abandoned;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}
