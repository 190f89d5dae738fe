import { setTimeout as wait } from 'node:timers/promises';
import { keyOf, read, request } from './ask-millrace.ts';
import type { BenchOptions } from './bench-options.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { documentsWait } from './fairness-mixes.ts';
import { percentile } from './percentile.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { questionsFrom } from './search-questions.ts';
import { createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const WARM_UP_DOCUMENTS = 1_000;
/** Indexed alone to know the pace, and the largest backlog, which is full within seconds. */
const DOCUMENTS = 2_000;
const BATCH = 100;
/** What is offered, in units of what can be indexed. */
const FACTOR = 3;
const OFFER_SECONDS = 15;
const BETWEEN_SEARCHES_MS = 50;
const POLL_MS = 50;
/** A batch that had only some of its documents refused has no `Retry-After`; a client then begins with this. */
const REST_DELAY_MS = 1_000;

interface Tally {
  batches: number;
  /** Batches that were refused whole at least once. */
  refused: number;
  /** Of these, how many found room for at least one document at the moment they were told. */
  keptPromises: number;
  /** The longest that any batch was told to wait. */
  longestWaitSeconds: number;
  /** Times that a batch came back and was refused whole again. */
  brokenPromises: number;
}

/**
 * Offers documents at three times the pace at which they are indexed, from clients that wait as `Retry-After` says.
 * Measures whether they then find room, how long searches take meanwhile, and whether everything accepted is indexed.
 */
export async function overload(options: BenchOptions): Promise<void> {
  const count = options.documents ?? DOCUMENTS;
  await using target = await startChildMillrace('src/main.ts', {
    settings: {
      MAX_PENDING_DOCUMENTS: String(count),
      RATE_LIMIT_PER_MINUTE: '1000000',
    },
  });
  const push = PUSHES[`batches of ${BATCH}`] ?? fail('There is no push in batches.');
  const make = (documents: number, idPrefix: string) =>
    createDocuments(documents, options.bytes, { idPrefix });
  const known = make(WARM_UP_DOCUMENTS, 'warm-up');
  await timePush(target, known, push, POLL_MS);
  const alone = await timePush(target, make(count, 'alone'), push, POLL_MS);
  const pace = count / alone.indexedSeconds;
  const questions = questionsFrom(known);
  const idle = await searchUntil(target, questions, async (asked) => asked >= questions.length);
  const offered = make(Math.round(FACTOR * pace * OFFER_SECONDS), 'offered');
  let isDone = false;
  const startedMs = performance.now();
  const sending = offerAll(target, offered, FACTOR * pace).finally(() => {
    isDone = true;
  });
  const busy = await searchUntil(target, questions, async () => isDone);
  const tally = await sending;
  while (await documentsWait(target)) await wait(POLL_MS);
  const tookSeconds = (performance.now() - startedMs) / 1_000;
  const { counts } = (await read(target, '/service-api/ingestion/stats')) as {
    counts: Record<string, number>;
  };
  const expected = WARM_UP_DOCUMENTS + count + offered.length;
  console.log(
    `overload: ${offered.length} documents offered at ${FACTOR} times the ${Math.round(pace)} documents/s that are indexed, ${target.size}`,
  );
  console.table({
    'documents/s, indexed in the end / alone': rounded(offered.length / tookSeconds / pace),
    'accepted and not indexed': expected - (counts['indexed'] ?? 0),
    batches: tally.batches,
    'refused once or more': tally.refused,
    'had room when they came back as told, share': rounded(
      tally.keptPromises / Math.max(1, tally.keptPromises + tally.brokenPromises),
    ),
    'longest Retry-After, s': tally.longestWaitSeconds,
    'search p95 ms, idle': idle,
    'search p95 ms, under overload': busy,
    'search p95, under overload / idle': rounded(busy / idle),
  });
}

/** Sends each batch at its moment, whatever became of the earlier ones. */
async function offerAll(
  target: ChildMillrace,
  items: SyntheticItem[],
  perSecond: number,
): Promise<Tally> {
  const tally: Tally = {
    batches: 0,
    refused: 0,
    keptPromises: 0,
    longestWaitSeconds: 0,
    brokenPromises: 0,
  };
  const startedMs = performance.now();
  const sent: Promise<void>[] = [];
  for (let start = 0; start < items.length; start += BATCH) {
    const dueMs = startedMs + (1_000 * start) / perSecond;
    await wait(Math.max(0, dueMs - performance.now()));
    tally.batches += 1;
    sent.push(deliver(target, items.slice(start, start + BATCH), tally));
  }
  await Promise.all(sent);
  return tally;
}

async function deliver(
  target: ChildMillrace,
  batch: readonly SyntheticItem[],
  tally: Tally,
): Promise<void> {
  let left = batch;
  let wasTold = false;
  while (left.length > 0) {
    const response = await fetch(`${target.url}/service-api/ingestion/batch`, {
      method: 'POST',
      headers: { ...keyOf(target), 'content-type': 'application/json' },
      body: JSON.stringify({ documents: left }),
    });
    const text = await response.text();
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after'));
      if (!(seconds >= 1)) throw new Error(`Refused without a time: ${text}`);
      if (wasTold) tally.brokenPromises += 1;
      else tally.refused += 1;
      tally.longestWaitSeconds = Math.max(tally.longestWaitSeconds, seconds);
      wasTold = true;
      await wait(1_000 * seconds);
      continue;
    }
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    if (wasTold) tally.keptPromises += 1;
    wasTold = false;
    const { results } = JSON.parse(text) as { results: { error_code?: string }[] };
    left = left.filter((_, index) => results[index]?.error_code !== undefined);
    if (left.length > 0) await wait(REST_DELAY_MS);
  }
}

/** @returns p95 in ms of one search after the other */
async function searchUntil(
  target: ChildMillrace,
  questions: readonly string[],
  isEnough: (asked: number) => Promise<boolean>,
): Promise<number> {
  const times: number[] = [];
  do {
    const query = questions[times.length % questions.length] ?? 'nothing';
    const startedMs = performance.now();
    await request(target, 'POST', '/search', JSON.stringify({ query }));
    times.push(performance.now() - startedMs);
    await wait(BETWEEN_SEARCHES_MS);
  } while (!(await isEnough(times.length)));
  return rounded(percentile(times, 0.95));
}

function fail(reason: string): never {
  throw new Error(reason);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
