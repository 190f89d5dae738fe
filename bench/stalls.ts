import { makeTargets } from '#test/support/malformed-targets.ts';
import { type ProbedMillrace, startProbedMillrace } from '#test/support/probed-millrace.ts';
import { send } from '#test/support/raw-http.ts';
import { worstRequests, type WorstRequest } from '#test/support/worst-requests.ts';

const SHOWN = 25;
const DEFAULT_BYTES = 8_000_000;

/** Prints how long the worst requests of each route hold the event loop. */
export async function stalls(options: { documents: number | null; bytes: number }): Promise<void> {
  await using millrace = await startProbedMillrace({
    DEFAULT_PLAN: 'Enterprise',
    RATE_LIMIT_PER_MINUTE: '1000000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
  const { body: description } = await millrace.call('GET', '/openapi.json');
  const targets = await makeTargets(millrace);
  const requests = worstRequests(description, {
    key: millrace.adminKey,
    targets,
    defaultBytes: DEFAULT_BYTES,
  });
  const worst = new Map<string, { shape: string; stallMs: number; status: number }>();
  console.log(requests.length);
  for (const one of requests) {
    const found = await measure(millrace, one);
    if (found.stallMs > 100) console.log(one.operation, one.shape, found);
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

async function measure(millrace: ProbedMillrace, { build }: WorstRequest) {
  const request = build();
  await millrace.longestStallMs();
  let status = 0;
  try {
    status = (await send(millrace.url, request)).status;
  } catch (e) {
    console.log(String(e));
  }
  return { stallMs: await millrace.longestStallMs(), status };
}
