import { setTimeout as pause } from 'node:timers/promises';
import { until } from '#test/support/until.ts';
import type { BenchOptions } from './bench-options.ts';
import {
  abandonStreams,
  type ChatLoad,
  type ChatTarget,
  loadStreams,
  type LoadResult,
} from './chat-load.ts';
import { type Pace, PACES } from './chat-paces.ts';
import { type ChatModelProcess, startChatModel, startChatProxy } from './chat-processes.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { createDocuments, createRandom, type SyntheticItem } from './synthetic-documents.ts';

const DOCUMENTS = 300;
const STREAMS = 200;
const ARRIVALS_MS = 10_000;
const VANISHING = 100;
const MEMORY_ROUNDS = 5;
/** Earlier rounds are warm-up; later ones are compared with this one. */
const FIRST_COMPARED_ROUND = 2;
const WARM_UP_ROUNDS = 3;
const COST_ROUNDS = 5;
const IDLE_MS = 5_000;
/** A run leaves memory shortly after its lines are saved. */
const SETTLE_MS = 1_500;
const VANISH_TIMEOUT_MS = 20_000;

/**
 * Measures 200 concurrent streams on one process, beside a bare proxy of the same model: the wait for the first packet
 * from a model that answers at once, tokens per second, memory over rounds, and what is left behind when clients
 * disconnect.
 * @throws when an answer is incomplete or something is left behind
 */
export async function chat(options: BenchOptions): Promise<void> {
  await withBench(options, async (bench) => {
    console.table(await costs(bench));
    console.table(await firstPackets(bench));
    console.table(await throughput(bench));
    console.table(await vanish(bench));
    console.table(await memoryRounds(bench));
  });
}

/** Measures only the processor time of a request and of a token. */
export async function chatCosts(options: BenchOptions): Promise<void> {
  await withBench(options, async (bench) => console.table(await costs(bench)));
}

async function withBench(
  options: BenchOptions,
  measure: (bench: ChatBench) => Promise<void>,
): Promise<void> {
  await using model = await startChatModel();
  await using proxy = await startChatProxy(model.url);
  const settings = { LLM_BASE_URL: model.url, LLM_MODEL: Object.keys(PACES).join(',') };
  await using millrace = await startChildMillrace('src/main.ts', { settings, probesMemory: true });
  const items = createDocuments(options.documents ?? DOCUMENTS, options.bytes);
  await timePush(millrace, items, PUSHES['batches of 100'] ?? refuse);
  const bench: ChatBench = {
    millrace,
    model,
    items,
    bare: { ...bareTarget(proxy.url), cpuSeconds: () => proxy.cpuSeconds() },
  };
  console.log(
    `chat: ${STREAMS} streams at once, ${items.length} documents indexed, ${millrace.size}`,
  );
  await loadStreams(targetOf(millrace), loadOf(bench, { pace: 'brief', arrivalsMs: 4_000 }));
  await measure(bench);
}

interface ChatBench {
  millrace: ChildMillrace;
  model: ChatModelProcess;
  items: readonly SyntheticItem[];
  bare: MeteredTarget;
}

interface MeteredTarget extends ChatTarget {
  cpuSeconds(): Promise<number>;
}

interface LoadPlan {
  pace: Pace;
  arrivalsMs: number;
  searches?: boolean;
  streams?: number;
}

/**
 * Processor time of the process alone, less what it takes when idle, without search. A request: an answer of one token. A token: what longer answers
 * take beyond that, once with tokens that come alone and once with tokens that come as fast as they are taken.
 */
async function costs(bench: ChatBench): Promise<object> {
  const { millrace } = bench;
  const own = {
    ...targetOf(millrace),
    cpuSeconds: async () => (await millrace.usage()).cpuSeconds,
  };
  return {
    'bare proxy': await costsOf(bench, bench.bare, 'bare'),
    Millrace: await costsOf(bench, own, 'chat'),
  };
}

async function costsOf(
  bench: ChatBench,
  target: MeteredTarget,
  kind: 'bare' | 'chat',
): Promise<object> {
  const cpuMsOf = async (work: () => Promise<unknown>, idleShare: number): Promise<number> => {
    const before = await target.cpuSeconds();
    const startedMs = performance.now();
    await work();
    // Includes what is saved after the last line.
    await pause(SETTLE_MS);
    const usedMs = ((await target.cpuSeconds()) - before) * 1_000;
    return usedMs - idleShare * (performance.now() - startedMs);
  };
  let idleShare = 0;
  const cpuMs = (pace: Pace): Promise<number> =>
    cpuMsOf(() => loadStreams(target, loadOf(bench, { pace, arrivalsMs: 0 }, kind)), idleShare);
  // The first rounds are warm-up.
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await cpuMs('single');
  await cpuMs('flat');
  idleShare = (await cpuMsOf(() => pause(IDLE_MS), 0)) / (IDLE_MS + SETTLE_MS);
  const requests: number[] = [];
  for (let round = 0; round < COST_ROUNDS; round += 1)
    requests.push((await cpuMs('single')) / STREAMS);
  const requestMs = requests.toSorted((a, b) => a - b)[Math.floor(COST_ROUNDS / 2)] ?? NaN;
  const tokenMs = async (pace: Pace): Promise<number> =>
    ((await cpuMs(pace)) / STREAMS - requestMs) / (PACES[pace].tokens - 1);
  return {
    'idle, % of a core': rounded(idleShare * 100),
    'CPU ms a request': rounded(requestMs),
    'CPU ms a token, paced': rounded(await tokenMs('held'), 4),
    'CPU ms a token, without pauses': rounded(await tokenMs('flat'), 4),
  };
}

async function firstPackets(bench: ChatBench): Promise<object> {
  const { millrace, bare } = bench;
  const target = targetOf(millrace);
  const table: Record<string, object> = {};
  for (const [arrivals, plan] of [
    ['over 10 s', { pace: 'held', arrivalsMs: ARRIVALS_MS }],
    ['all at once', { pace: 'brief', arrivalsMs: 0 }],
  ] as const) {
    const baseline = await loadStreams(bare, loadOf(bench, plan, 'bare'));
    table[`bare proxy, ${arrivals}`] = rowOf(baseline, baseline, null);
    for (const searches of [false, true]) {
      const before = await millrace.usage();
      const result = await loadStreams(target, loadOf(bench, { ...plan, searches }));
      const after = await millrace.usage();
      const name = `Millrace${searches ? ' with search' : ''}, ${arrivals}`;
      table[name] = rowOf(result, baseline, after.cpuSeconds - before.cpuSeconds);
    }
  }
  return table;
}

function rowOf(result: LoadResult, baseline: LoadResult, cpuSeconds: number | null): object {
  const p95 = percentile(result.firstMs, 0.95);
  return {
    'open at once': result.openAtOnce,
    'first packet p50 ms': rounded(percentile(result.firstMs, 0.5)),
    'p95 ms': rounded(p95),
    'worst ms': rounded(result.firstMs.at(-1) ?? NaN),
    'p95 vs bare': rounded(p95 / percentile(baseline.firstMs, 0.95)),
    'whole p50 vs bare': rounded(
      percentile(result.wholeMs, 0.5) / percentile(baseline.wholeMs, 0.5),
    ),
    'CPU s': cpuSeconds === null ? '' : rounded(cpuSeconds),
  };
}

async function throughput(bench: ChatBench): Promise<object> {
  const plan: LoadPlan = { pace: 'flat', arrivalsMs: 0 };
  const tokens = STREAMS * PACES.flat.tokens;
  const bare = await loadStreams(bench.bare, loadOf(bench, plan, 'bare'));
  const own = await loadStreams(targetOf(bench.millrace), loadOf(bench, plan));
  const row = ({ seconds }: LoadResult) => ({
    tokens,
    seconds: rounded(seconds),
    'tokens/s': Math.round(tokens / seconds),
    'vs bare': rounded(bare.seconds / seconds),
  });
  return { 'bare proxy, without pauses': row(bare), 'Millrace, without pauses': row(own) };
}

/** Clients disconnect after their first packet: measures how long until all their work has stopped. */
async function vanish({ millrace, model, items }: ChatBench): Promise<object> {
  const plan: LoadPlan = { pace: 'held', arrivalsMs: 1_000, streams: VANISHING };
  await abandonStreams(targetOf(millrace), loadOf({ items }, plan).bodies);
  const startedMs = performance.now();
  await until(async () => (await model.report()).inProgress === 0, VANISH_TIMEOUT_MS, 10);
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    'clients that vanish': { streams: VANISHING, 'model calls end after s': rounded(seconds) },
  };
}

async function memoryRounds(bench: ChatBench): Promise<object> {
  const { millrace } = bench;
  const table: Record<string, object> = {};
  let compared = NaN;
  const plan: LoadPlan = { pace: 'brief', arrivalsMs: 0, searches: true };
  for (let round = 1; round <= MEMORY_ROUNDS; round += 1) {
    const running = loadStreams(targetOf(millrace), loadOf(bench, plan));
    // The middle of the round, when most streams are open.
    await pause((PACES.brief.tokens * PACES.brief.pauseMs) / 2);
    const during = await millrace.memory();
    await running;
    await pause(SETTLE_MS);
    const after = await millrace.memory();
    if (round === FIRST_COMPARED_ROUND) compared = after.rssMb;
    table[`round ${round}`] = {
      'RSS MB during': Math.round(during.rssMb),
      'RSS MB after': Math.round(after.rssMb),
      'heap MB during': rounded(during.heapMb),
      'heap MB after': rounded(after.heapMb),
      'external MB after': Math.round(after.externalMb),
      [`RSS vs round ${FIRST_COMPARED_ROUND}`]:
        round < FIRST_COMPARED_ROUND ? '' : rounded(after.rssMb / compared),
    };
  }
  return table;
}

function loadOf(
  { items }: Pick<ChatBench, 'items'>,
  { pace, arrivalsMs, searches = false, streams = STREAMS }: LoadPlan,
  target: 'bare' | 'chat' = 'chat',
): ChatLoad {
  const questions = questionsFrom(items, streams);
  const bodies = questions.map((question) =>
    target === 'bare'
      ? { model: pace, stream: true, messages: [{ role: 'user', content: question }] }
      : {
          message: question,
          stream: true,
          llm_override: { model_version: pace },
          ...(!searches && { allowed_tool_ids: [] }),
        },
  );
  return { bodies, arrivalsMs, tokens: PACES[pace].tokens };
}

/** Six consecutive words from each document. */
function questionsFrom(items: readonly SyntheticItem[], count: number): string[] {
  const random = createRandom(7);
  return Array.from({ length: count }, () => {
    const item = items[Math.floor(random() * items.length)];
    const words = item?.document.sections[0]?.text?.match(/[a-z]{3,}/gi) ?? [];
    const start = Math.floor(random() * Math.max(1, words.length - 6));
    return `What about ${words.slice(start, start + 6).join(' ')}?`;
  });
}

function targetOf({ url, adminKey }: ChildMillrace): ChatTarget {
  const headers = { authorization: `Bearer ${adminKey}` };
  return { url, path: '/chat/send-chat-message', headers };
}

function bareTarget(url: string): ChatTarget {
  return { url, path: '/', headers: {} };
}

function refuse(): Promise<void> {
  throw new Error('Unknown way to push documents.');
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function rounded(value: number, digits: number = 2): number {
  return Number(value.toFixed(digits));
}
