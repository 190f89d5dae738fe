import { z } from 'zod';
import { longestLineBytes } from '#src/documents/line-room.ts';
import { acceptedSchema } from '#src/documents/present-document.ts';
import { Problem, type ProblemCode } from '#src/platform/errors.ts';
import type { Leave } from '#src/platform/fair-gate.ts';
import { openGate, throughGate } from '#src/platform/gate.ts';
import { mapInOrder } from '#src/platform/map-in-order.ts';
import { acceptItem, type IngestCaller, type IngestServices, readItems } from './ingest-item.ts';
import { describeError, toProblem } from './problem.ts';
import type { IncomingBody } from './read-body.ts';
import type { HeldLine } from './split-lines.ts';

/** Concurrent lines of a stream: enough to fill a flush. What they hold in memory is bounded by the line room. */
const LINES_UNDER_WAY = 512;
/** Lines of one stream that are read, or wait for a thread, at the same time: a stream may be as slow as it is long. */
const LINES_READ_AT_ONCE = 4;

const LATER: readonly ProblemCode[] = ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'];

const refusedSchema = z.object({ error_code: z.string(), detail: z.string() });
const place = { index: z.number().int() };

/** One result per item, in order: accepted, or refused with the reason. */
export const batchReplySchema = z.object({
  results: z.array(z.union([acceptedSchema.extend(place), refusedSchema.extend(place)])),
  accepted: z.number().int(),
  failed: z.number().int(),
});

type Outcome = z.input<typeof acceptedSchema> | Problem;

/** @throws Problem when no document can be accepted now: the backlog is full, or the database is unavailable */
export async function acceptBatch(
  services: IngestServices,
  caller: IngestCaller,
  body: Buffer,
): Promise<z.input<typeof batchReplySchema>> {
  const items = await readItems(services, caller, body, 'batch');
  const outcomes = await Promise.all(
    items.map((item) => settleItem(services, caller, () => acceptItem(services, caller, item))),
  );
  // Each document has its own time; the last one's is that of the whole request.
  const last = outcomes.at(-1);
  if (last && isRetryable(last) && outcomes.every(isRetryable)) throw last;
  const results = outcomes.map((outcome, index) => presentOutcome(outcome, index));
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length;
  return { results, accepted: results.length - failed, failed };
}

/**
 * Answers each line of a body with a line, in order, once its document is committed.
 * @throws Problem when the first one cannot be accepted now
 */
export async function* acceptLines(
  services: IngestServices,
  caller: IngestCaller,
  body: Pick<IncomingBody, 'lines'>,
): AsyncGenerator<string, void> {
  const limit = longestLineBytes(services.config.MAX_DOCUMENT_BYTES);
  const lines = body.lines(limit, (bytes) => takeRoom(services, caller, bytes));
  const enter = openGate(LINES_READ_AT_ONCE);
  const accept = async ({ text }: HeldLine) => {
    refuseLength(text, services.config.MAX_DOCUMENT_BYTES);
    const [item] = await throughGate(enter, () =>
      readItems(services, caller, Buffer.from(text), 'item'),
    );
    return acceptItem(services, caller, item);
  };
  const outcomes = mapInOrder(
    lines,
    LINES_UNDER_WAY,
    (line) => settleItem(services, caller, () => accept(line)).finally(() => line.drop()),
    (line) => line.drop(),
  );
  let index = 0;
  for await (const outcome of outcomes) {
    // Before the first line is sent, the whole request can still be answered with Retry-After.
    if (index === 0 && isRetryable(outcome)) throw outcome;
    yield `${JSON.stringify(presentOutcome(outcome, index))}\n`;
    index += 1;
  }
}

/** @throws Problem when the client disconnects before there is room */
async function takeRoom(
  { lineRoom }: IngestServices,
  { principal, signal }: IngestCaller,
  bytes: number,
): Promise<Leave> {
  try {
    return await lineRoom.enter(principal.workspaceId, { places: bytes, cost: bytes, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Problem('BAD_REQUEST', 'The connection broke off before the body was complete.');
  }
}

async function settleItem(
  services: IngestServices,
  caller: IngestCaller,
  accept: () => Promise<z.input<typeof acceptedSchema>>,
): Promise<Outcome> {
  try {
    return await accept();
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'INTERNAL_SERVER_ERROR') {
      // The request itself succeeds, so nothing else would report this.
      services.log.error(
        { requestId: caller.requestId, failure: describeError(error) },
        'item failed',
      );
    }
    return problem;
  }
}

/** Whether the same item may be accepted a little later. */
function isRetryable(outcome: Outcome): outcome is Problem {
  return outcome instanceof Problem && LATER.includes(outcome.code);
}

function presentOutcome(
  outcome: Outcome,
  index: number,
): z.input<typeof batchReplySchema>['results'][number] {
  if (!(outcome instanceof Problem)) return { index, ...outcome };
  return { index, error_code: outcome.code, detail: outcome.message };
}

function refuseLength(line: string, maxBytes: number): void {
  if (Buffer.byteLength(line) <= longestLineBytes(maxBytes)) return;
  throw new Problem(
    'PAYLOAD_TOO_LARGE',
    `The line is longer than a document may be (${maxBytes} bytes, MAX_DOCUMENT_BYTES). Split the document.`,
  );
}
