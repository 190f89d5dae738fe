import type {
  ConnectorFiles,
  ConnectorPage,
  MemoryEntry,
  PollContext,
} from '#src/connectors/source/connector.ts';
import { createSourceHttp } from '#src/connectors/source/create-source-http.ts';
import type { OwnRenderer } from '#src/platform/page-renderer.ts';
import type { SourcePolicy } from '#src/connectors/source/source-http.ts';
import { parseFile } from '#src/files/parse-file.ts';
import { createHttpClient, type HttpClient } from '#src/platform/http.ts';

export interface TestContext extends AsyncDisposable {
  readonly context: PollContext;
  /** Milliseconds for which the connector was told to wait. Nothing sleeps; the context's clock advances. */
  readonly waits: number[];
  /** What pages remembered; `recall` reads it. */
  readonly memory: Map<string, MemoryEntry>;
}

const PATIENT: SourcePolicy = {
  concurrentRequests: 4,
  requestsPerSecond: null,
  documentsPerPage: 100,
};

/** The guarded HTTP client of production with loopback allowed; files are parsed in this thread. */
export function openTestContext(
  options: {
    policy?: SourcePolicy;
    since?: Date | null;
    until?: Date;
    signal?: AbortSignal;
    files?: ConnectorFiles;
    renderer?: OwnRenderer | null;
    /** Timeout per request; by default 30 s, as in production. */
    timeoutMs?: number;
  } = {},
): TestContext {
  const { policy = PATIENT, since = null, signal = new AbortController().signal } = options;
  const guarded = createHttpClient({ allowCidrs: ['127.0.0.0/8', '::1/128'], proxyUrl: null });
  const client = options.timeoutMs === undefined ? guarded : hurried(guarded, options.timeoutMs);
  const waits: number[] = [];
  const memory = new Map<string, MemoryEntry>();
  let skippedMs = 0;
  const clock = (): Date => new Date(Date.now() + skippedMs);
  const wait = async (ms: number, waiting: AbortSignal): Promise<void> => {
    waiting.throwIfAborted();
    waits.push(ms);
    skippedMs += ms;
    await new Promise((resolve) => setImmediate(resolve));
    waiting.throwIfAborted();
  };
  return {
    waits,
    memory,
    context: {
      signal,
      http: createSourceHttp({ client, policy, signal, clock, wait, random: () => 0 }),
      guard: client.guard,
      files: options.files ?? {
        exists: () => Promise.resolve(false),
        read: () => Promise.resolve(null),
      },
      parse: (file) => parseFile({ ...file, signal }),
      recall: (keys) => Promise.resolve(recall(memory, keys)),
      renderer: options.renderer ?? null,
      clock,
      since,
      until: options.until ?? clock(),
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function hurried(client: HttpClient, timeoutMs: number): HttpClient {
  return {
    guard: client.guard,
    send: (request) => client.send({ ...request, timeoutMs }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function recall(memory: Map<string, MemoryEntry>, keys: readonly string[]): Map<string, unknown> {
  const found = keys.flatMap((key) => memory.get(key) ?? []);
  return new Map(found.map(({ key, value }) => [key, value]));
}

/** All pages of a poll; what they remember is available to the next poll with the same context. */
export async function collectPages<C>(
  pages: AsyncIterable<ConnectorPage<C>>,
  context?: TestContext,
): Promise<ConnectorPage<C>[]> {
  const collected: ConnectorPage<C>[] = [];
  for await (const page of pages) {
    collected.push(page);
    for (const entry of page.memory) context?.memory.set(entry.key, entry);
  }
  return collected;
}
