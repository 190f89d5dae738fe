import { makeTargets } from '#test/support/malformed-targets.ts';
import { type ProbedMillrace, startProbedMillrace } from '#test/support/probed-millrace.ts';
import { send } from '#test/support/raw-http.ts';
import { worstDocuments } from '#test/support/worst-documents.ts';
import { worstRequests, type WorstRequest } from '#test/support/worst-requests.ts';

const SHOWN = 25;
/** For routes whose description has no limit of its own. */
const DEFAULT_BYTES = 8_000_000;
/** Default of the setting. */
const MAX_DOCUMENT_BYTES = 20_000_000;

/** Measures how long the worst-case requests of each route block the event loop. */
export async function stalls(): Promise<void> {
  await using millrace = await startProbedMillrace({
    DEFAULT_PLAN: 'Enterprise',
    RATE_LIMIT_PER_MINUTE: '1000000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
  const { body: description } = await millrace.call('GET', '/openapi.json');
  const targets = await makeTargets(millrace);
  const key = millrace.adminKey;
  const requests = [
    ...worstDocuments(key, MAX_DOCUMENT_BYTES),
    ...worstRequests(description, { key, targets, defaultBytes: DEFAULT_BYTES }),
  ];
  const worst = new Map<string, { shape: string; stallMs: number; status: number }>();
  for (const one of requests) {
    const found = await measure(millrace, one);
    if (found.stallMs > (worst.get(one.operation)?.stallMs ?? -1)) {
      worst.set(one.operation, { shape: one.shape, ...found });
    }
  }
  const rows = [...worst].sort(([, a], [, b]) => b.stallMs - a.stallMs).slice(0, SHOWN);
  console.table(
    rows.map(([operation, { shape, stallMs, status }]) => ({
      operation,
      'longest stall, ms': Math.round(stallMs),
      by: shape,
      answer: status,
    })),
  );
}

interface Measured {
  stallMs: number;
  /** 0 when the service closed the connection before reading the whole request. */
  status: number;
}

/** Includes the indexing that a request causes: in the embedded size it runs in the same process. */
async function measure(millrace: ProbedMillrace, { build }: WorstRequest): Promise<Measured> {
  const request = build();
  await millrace.longestStallMs();
  const status = await send(millrace.url, request).then(
    (answer) => answer.status,
    () => 0,
  );
  await millrace.settled();
  return { stallMs: await millrace.longestStallMs(), status };
}
