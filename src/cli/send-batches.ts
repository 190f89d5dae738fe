import { z } from 'zod';
import type { ApiClient, Call } from './api-client.ts';
import { ApiFailure } from './api-failure.ts';
import type { IngestItem } from './ingest-item.ts';

/** The service's result for one document. */
export type ItemOutcome =
  | { kind: 'accepted'; documentId: string; alreadyExisted: boolean }
  | { kind: 'failed'; reason: string };

/** Collects documents into requests. */
export interface BatchSender {
  /**
   * Adds a document to the open batch. The caller that fills the batch also sends it and waits for the answer, so the
   * number of concurrent callers limits the requests in flight and their memory.
   * @throws ApiFailure when the service refuses every document (wrong key) or no longer answers
   */
  add(item: IngestItem): Promise<void>;
  /** Sends the remaining documents. */
  flush(): Promise<void>;
}

const BATCH = { documents: 100, bytes: 4 * 1024 * 1024 };
/** Waits out a restart of the service; a full backlog must drain before it accepts more. */
const PATIENCE = { unreachableMs: 120_000, busyMs: 15 * 60_000 };
const CALL: Call = { patience: PATIENCE, repeatable: true, timeoutMs: 120_000 };
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
/** The whole request is refused because of one of its documents: splitting finds it. */
const SPLIT_ON = new Set([400, 413]);
const NOT_NOW = new Set(['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE']);

const answer = z.object({
  results: z.array(
    z.union([
      z.object({ error_code: z.string(), detail: z.string(), index: z.int().optional() }),
      z.object({
        document_id: z.string(),
        already_existed: z.boolean(),
        index: z.int().optional(),
      }),
    ]),
  ),
});
type Result = z.output<typeof answer>['results'][number];

/** `report` is called once per document, with all outcomes of a request together. */
export function openBatchSender(
  client: ApiClient,
  report: (outcomes: [IngestItem, ItemOutcome][]) => void,
): BatchSender {
  let open: IngestItem[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const batch = open;
    open = [];
    bytes = 0;
    if (batch.length > 0) await deliver(client, batch, report);
  };
  return {
    flush,
    async add(item) {
      if (open.length > 0 && bytes + item.bytes > BATCH.bytes) {
        const full = flush();
        open.push(item);
        bytes += item.bytes;
        return full;
      }
      open.push(item);
      bytes += item.bytes;
      if (open.length >= BATCH.documents || bytes >= BATCH.bytes) await flush();
    },
  };
}

/** The result of one document in one request. */
type Verdict = ItemOutcome | { kind: 'not-now'; reason: string };

/** Sends a batch until each document has an outcome; retries those that got "not now". */
async function deliver(
  client: ApiClient,
  batch: IngestItem[],
  report: (outcomes: [IngestItem, ItemOutcome][]) => void,
): Promise<void> {
  let left = batch;
  let waitedMs = 0;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
    const isLast = waitedMs + delayMs > PATIENCE.busyMs;
    const later: IngestItem[] = [];
    const outcomes: [IngestItem, ItemOutcome][] = [];
    for (const [item, verdict] of await post(client, left)) {
      if (verdict.kind !== 'not-now') outcomes.push([item, verdict]);
      else if (isLast) outcomes.push([item, { kind: 'failed', reason: verdict.reason }]);
      else later.push(item);
    }
    report(outcomes);
    if (later.length === 0) return;
    left = later;
    waitedMs += delayMs;
    client.note(
      `The service accepts no more documents for now. Trying again in ${delayMs / 1000} s.`,
    );
    await client.wait(delayMs);
  }
}

async function post(client: ApiClient, items: IngestItem[]): Promise<[IngestItem, Verdict][]> {
  try {
    const body = { documents: items.map((item) => item.wire) };
    const { results } = await client.json('POST', '/service-api/ingestion/batch', answer, {
      ...CALL,
      body,
    });
    const byIndex = new Map(results.map((result, position) => [result.index ?? position, result]));
    return items.map((item, index) => [item, toVerdict(byIndex.get(index))]);
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status === null || !SPLIT_ON.has(error.status)) {
      throw error;
    }
    const [first] = items;
    if (items.length === 1 && first) return [[first, { kind: 'failed', reason: error.message }]];
    const middle = Math.ceil(items.length / 2);
    return [
      ...(await post(client, items.slice(0, middle))),
      ...(await post(client, items.slice(middle))),
    ];
  }
}

function toVerdict(result: Result | undefined): Verdict {
  if (result === undefined) {
    const reason = 'the service did not report its outcome; run the command again';
    return { kind: 'failed', reason };
  }
  if ('error_code' in result) {
    const reason = `${result.detail} (${result.error_code})`;
    return { kind: NOT_NOW.has(result.error_code) ? 'not-now' : 'failed', reason };
  }
  return {
    kind: 'accepted',
    documentId: result.document_id,
    alreadyExisted: result.already_existed,
  };
}
