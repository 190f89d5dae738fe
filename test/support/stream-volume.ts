import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ContractSource } from './connector-contract.ts';
import { contextFor } from './run-poll.ts';

/** Cost and result of a poll of many documents. */
export interface Streamed {
  documents: number;
  /** Ids that never came. */
  missing: string[];
  failures: number;
  /** Number of requests made by the time of the third page. */
  requestsAtPage3: number;
  largestPage: number;
  largestCheckpointBytes: number;
  /** Measured from 10% to 90% of the poll, because memory is released at its end. */
  heapGrowthBytes: number;
}

const RECORDED_REQUESTS = 1_000;

/** Polls from beginning to end and keeps only figures, because the database would hold the rest. */
export async function streamVolume(
  source: ContractSource,
  changed: Record<string, unknown>,
): Promise<Streamed> {
  const { server } = source.fixture;
  const missing = new Set(source.fixture.ids());
  const [early, late] = [missing.size * 0.1, missing.size * 0.9];
  const figures = {
    documents: 0,
    failures: 0,
    requestsAtPage3: 0,
    largestPage: 0,
    largestCheckpointBytes: 0,
  };
  let pages = 0;
  const heapBytes: number[] = [];
  await using test = contextFor(source);
  const config = [source.settings(changed), source.credential()] as const;
  for await (const page of source.connector.poll(...config, null, test.context)) {
    pages += 1;
    figures.documents += page.documents.length;
    figures.failures += page.failures.length;
    figures.largestPage = Math.max(figures.largestPage, page.documents.length);
    const checkpointBytes = JSON.stringify(page.checkpoint).length;
    figures.largestCheckpointBytes = Math.max(figures.largestCheckpointBytes, checkpointBytes);
    for (const { id } of page.documents) missing.delete(id);
    if (pages === 3) figures.requestsAtPage3 = server?.requests.length ?? 0;
    if (pages > 3 && server && server.requests.length > RECORDED_REQUESTS) {
      server.requests.length = 0;
    }
    const isDue = figures.documents > (heapBytes.length === 0 ? early : late);
    if (isDue && heapBytes.length < 2) heapBytes.push(heapAfterCollection());
  }
  const [before = 0, after = 0] = heapBytes;
  return { ...figures, missing: [...missing], heapGrowthBytes: after - before };
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // exists because of the flag
  collect();
  return process.memoryUsage().heapUsed;
}
