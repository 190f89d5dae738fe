import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const FAKE_DIMENSIONS = 16;

/** The endpoint's fault for one request; null to return the requested vectors. */
export type EmbeddingsFault =
  | { status: number; retryAfter?: string; message: string }
  | { hang: true }
  | null;

/** An OpenAI-compatible `/embeddings` endpoint that fails on command. */
export interface FakeEmbeddings extends AsyncDisposable {
  /** Settings that select it as the embedder. */
  readonly settings: Record<string, string>;
  /** The texts of each request so far. */
  readonly requests: readonly (readonly string[])[];
  /** Decides the outcome of each further request, at once or later. */
  fault: (texts: readonly string[]) => EmbeddingsFault | Promise<EmbeddingsFault>;
}

export async function startFakeEmbeddings(): Promise<FakeEmbeddings> {
  const requests: string[][] = [];
  const server = createServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const body = await text(incoming);
      const { input } = JSON.parse(body) as { input: string[] };
      requests.push(input);
      const fault = await fake.fault(input);
      if (fault && 'hang' in fault) return;
      const reply = fault ? { error: { message: fault.message } } : vectorsFor(input);
      outgoing.writeHead(fault?.status ?? 200, {
        'content-type': 'application/json',
        ...(fault?.retryAfter !== undefined && { 'retry-after': fault.retryAfter }),
      });
      outgoing.end(JSON.stringify(reply));
    };
    // A client that disconnects in the middle of its request is not a server failure.
    answer().catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const fake: FakeEmbeddings = {
    settings: {
      EMBEDDING_PROVIDER: 'openai',
      EMBEDDING_BASE_URL: `http://127.0.0.1:${port}/v1`,
      EMBEDDING_MODEL: 'fake-model',
      EMBEDDING_DIMENSIONS: String(FAKE_DIMENSIONS),
    },
    requests,
    fault: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

function vectorsFor(input: readonly string[]) {
  const data = input.map((one, index) => ({
    index,
    embedding: Array.from({ length: FAKE_DIMENSIONS }, (_, at) => Math.sin(one.length + at)),
  }));
  return { data };
}
