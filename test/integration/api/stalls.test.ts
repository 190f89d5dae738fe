// @module-tag processes
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTargets } from '#test/support/malformed-targets.ts';
import { type ProbedMillrace, startProbedMillrace } from '#test/support/probed-millrace.ts';
import { send } from '#test/support/raw-http.ts';
import { worstDocuments } from '#test/support/worst-documents.ts';
import { worstRequests, type WorstRequest } from '#test/support/worst-requests.ts';

/** Processor time of the main thread between two turns of its loop, so neither a busy nor a slow machine raises it. */
const MAX_STALL_MS = 100;
/** A garbage collection or another job may fall into a measurement, but not into every one. */
const TRIES = 4;
/** The most expensive shapes for their size. `npm run bench -- stalls` sends every shape. */
const COSTLY_DOCUMENTS =
  /^(the longest text( in ideographs)?|the longest title|the most sections|1,000 documents that fill it)$/;
/** A text of 6 million ideographs is indexed for ten seconds on a quiet machine, and may be sent several times. */
const TIMEOUT_MS = 180_000;
/** The default of the setting. */
const MAX_DOCUMENT_BYTES = 20_000_000;
const COSTLY =
  /^(objects in an unknown field|unknown keys|nesting in an unknown field|a list of objects|as it is|a long query|a page of 1000)$|objects of a wrong kind$|as many keys as fit$/;

let millrace: ProbedMillrace;

beforeAll(async () => {
  millrace = await startProbedMillrace({
    DEFAULT_PLAN: 'Enterprise',
    RATE_LIMIT_PER_MINUTE: '1000000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

/** The minimum over several tries; stops at the first one below the limit. */
async function leastStallOf(measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < TRIES && least >= MAX_STALL_MS; count += 1) {
    least = Math.min(least, await measure());
  }
  return least;
}

async function stallOf({ build }: WorstRequest): Promise<number> {
  const request = build();
  await millrace.longestStallMs();
  // Closing the connection before reading the whole body is a valid answer too.
  await send(millrace.url, request).catch(() => undefined);
  return millrace.longestStallMs();
}

describe('the worst request of each route', () => {
  it('holds the event loop for less than a tenth of a second', async () => {
    const { body: description } = await millrace.call('GET', '/openapi.json');
    const targets = await makeTargets(millrace);
    const all = worstRequests(description, {
      key: millrace.adminKey,
      targets,
      defaultBytes: 4_000_000,
    });
    const tooLong: string[] = [];
    for (const request of all.filter(({ shape }) => COSTLY.test(shape))) {
      const least = await leastStallOf(() => stallOf(request));
      if (least >= MAX_STALL_MS) {
        tooLong.push(`${request.operation}, ${request.shape}: ${Math.round(least)} ms`);
      }
    }
    expect(tooLong).toEqual([]);
  });
});

describe('the largest documents', () => {
  const shapes = worstDocuments('', MAX_DOCUMENT_BYTES)
    .map(({ shape }) => shape)
    .filter((shape) => COSTLY_DOCUMENTS.test(shape));

  it.each(shapes)(
    'hold the event loop for less than a tenth of a second, posted and indexed: %s',
    async (shape) => {
      const least = await leastStallOf(async () => {
        // A new workspace each time: unchanged documents are not indexed again.
        const { key } = await millrace.createWorkspace();
        const request = worstDocuments(key, MAX_DOCUMENT_BYTES).find((one) => one.shape === shape);
        if (!request) throw new Error(`The shape "${shape}" does not exist any more.`);
        await millrace.longestStallMs();
        const { status } = await send(millrace.url, request.build());
        expect(status).toBe(200);
        await millrace.settled(key);
        return millrace.longestStallMs();
      });
      expect(least).toBeLessThan(MAX_STALL_MS);
    },
    TIMEOUT_MS,
  );
});

describe('a body that is too large for its route', () => {
  it('is refused by its length or its number of values, while documents may be larger', async () => {
    const large = { name: 'x'.repeat(1_000_000) };
    const many = { name: 'x', unknown: Array(20_001).fill(0) };
    for (const [body, limit] of [
      [large, /larger than 1000000 bytes/],
      [many, /more than 20000 values/],
    ] as const) {
      const answer = await millrace.call('POST', '/user/projects/create', body);
      expect([answer.status, answer.body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      expect(answer.body.detail).toMatch(limit);
    }
    const sections = Array.from({ length: 30_000 }, (_, n) => ({ text: `Part ${n} of a book.` }));
    const { status, body } = await millrace.call('POST', '/service-api/ingestion', {
      document: { semantic_identifier: 'A book', sections },
    });
    expect([status, body.status]).toEqual([200, 'accepted']);
  });
});
