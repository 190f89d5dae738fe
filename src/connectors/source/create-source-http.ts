import type { z } from 'zod';
import { type HttpClient, OutboundError, type OutboundResponse } from '#src/platform/http.ts';
import { createRequestLimiter, type RequestLimiter, type Wait } from './request-limiter.ts';
import { type Judgement, judgeAnswer } from './judge-answer.ts';
import { parseJsonAnswer } from './parse-json-answer.ts';
import { type PreparedRequest, prepareRequest } from './prepare-request.ts';
import { SourceRefused, SourceUnavailable } from './source-errors.ts';
import type { SourceHabits, SourceHttp, SourcePolicy, SourceRequest } from './source-http.ts';
import { cleanMessage } from './source-message.ts';

interface Dependencies {
  client: HttpClient;
  policy: SourcePolicy;
  /** The run's signal. */
  signal: AbortSignal;
  clock: () => Date;
  wait: Wait;
  /** From 0 to 1, for jitter. */
  random?: () => number;
}

/** One per run: its limiter counts that run's requests. */
export function createSourceHttp(dependencies: Dependencies): SourceHttp {
  return withHabits(dependencies, createRequestLimiter(dependencies), {});
}

function withHabits(
  dependencies: Dependencies,
  limiter: RequestLimiter,
  habits: SourceHabits,
): SourceHttp {
  const send = <T>(prepared: PreparedRequest, read: (response: OutboundResponse) => Reading<T>) =>
    untilUsable({ ...dependencies, limiter, habits }, prepared, read);
  return {
    send: (request) => send(prepareRequest(request, habits), (response) => ({ value: response })),
    json<T>(request: SourceRequest, schema: z.ZodType<T>) {
      const headers = { accept: 'application/json', ...habits.headers };
      return send(prepareRequest(request, { headers }), (response) => {
        const reading = parseJsonAnswer(response, schema);
        return 'problem' in reading ? reading : { value: { data: reading.data, response } };
      });
    },
    withHabits: (more) =>
      withHabits(dependencies, limiter, {
        ...habits,
        ...more,
        headers: { ...habits.headers, ...more.headers },
      }),
  };
}

type Reading<T> = { value: T } | { problem: string };

const MAX_TRIES = 6;
const FIRST_BACKOFF_MS = 1_000;
/** So that tries which each time out do not add up to minutes: the run continues from its checkpoint instead. */
const MAX_TRYING_MS = 60_000;
/** The client waits this long itself; for longer waits the run frees its worker and is resumed later. */
const MAX_TOLD_WAIT_MS = 60_000;
/** Limit on all the waits requested for one request together; some sources ask for a little more each time. */
const MAX_TOLD_WAITS_MS = 300_000;
const MAX_TOLD_WAITS = 20;

interface Exchange extends Dependencies {
  limiter: RequestLimiter;
  habits: SourceHabits;
}

async function untilUsable<T>(
  exchange: Exchange,
  request: PreparedRequest,
  read: (response: OutboundResponse) => Reading<T>,
): Promise<T> {
  const { limiter, signal, clock, wait } = exchange;
  const startedMs = clock().getTime();
  let tries = 0;
  let toldWaits = 0;
  let toldWaitMs = 0;
  for (;;) {
    const judgement = await tryOnce(exchange, request, read);
    switch (judgement.kind) {
      case 'usable':
        return judgement.value;
      case 'final':
        throw judgement.error;
      case 'wait': {
        const { ms, reason } = judgement;
        toldWaits += 1;
        toldWaitMs += ms;
        const isLong = ms > MAX_TOLD_WAIT_MS || toldWaitMs > MAX_TOLD_WAITS_MS;
        if (isLong || toldWaits > MAX_TOLD_WAITS) {
          throw new SourceUnavailable(reason, { retryAfterMs: ms });
        }
        limiter.holdFor(ms);
        await wait(ms, signal);
        break;
      }
      case 'again': {
        tries += 1;
        const tryingMs = clock().getTime() - startedMs - toldWaitMs;
        if (tries >= MAX_TRIES || tryingMs >= MAX_TRYING_MS) {
          throw new SourceUnavailable(judgement.reason, { cause: judgement.cause });
        }
        await wait(backoffMs(tries, exchange.random ?? Math.random), signal);
        break;
      }
    }
  }
}

/** 1, 2, 4, 8, 16 s plus up to half of that, so that clients that failed together do not all retry together. */
function backoffMs(tries: number, random: () => number): number {
  return Math.round(FIRST_BACKOFF_MS * 2 ** (tries - 1) * (1 + random() / 2));
}

async function tryOnce<T>(
  { client, limiter, habits, signal, clock }: Exchange,
  request: PreparedRequest,
  read: (response: OutboundResponse) => Reading<T>,
): Promise<Judgement<never> | { kind: 'usable'; value: T }> {
  let response: OutboundResponse;
  try {
    response = await limiter.run(() => client.send({ ...request.outbound, signal }));
  } catch (error) {
    return judgeFailure(error, request, signal);
  }
  const judgement = judgeAnswer(response, request, habits, clock().getTime());
  if (judgement.kind !== 'usable') return judgement;
  const reading = read(judgement.value);
  if ('value' in reading) return { kind: 'usable', value: reading.value };
  const reason = `${request.place} ${cleanMessage(reading.problem, request.secrets)}`;
  // Asking again will not change an error response that the caller expected.
  return response.status >= 300
    ? { kind: 'final', error: new SourceRefused(reason, { status: response.status }) }
    : { kind: 'again', reason, cause: null };
}

function judgeFailure(
  error: unknown,
  { place }: PreparedRequest,
  signal: AbortSignal,
): Judgement<never> {
  signal.throwIfAborted();
  if (!(error instanceof OutboundError)) throw error;
  const reason = `${place}: ${error.message}`;
  switch (error.kind) {
    case 'network':
    case 'timeout':
      return { kind: 'again', reason, cause: error };
    case 'refused':
    case 'too-large':
    case 'too-many-redirects':
      return { kind: 'final', error: new SourceRefused(reason, { cause: error }) };
  }
}
