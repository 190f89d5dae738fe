import { setTimeout as wait } from 'node:timers/promises';
import type { BenchOptions } from './bench-options.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { type ConsoleTabs, openConsoleTabs } from './console-tabs.ts';
import type { MemoryReport } from './memory-probe.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const TABS = 20;
const DOCUMENTS = 20_000;
const WARM_UP_DOCUMENTS = 1_000;
/**
 * Indexing becomes slower while the index grows, and a shared machine changes its pace: parts with tabs and without
 * alternate, so that both kinds get the same share of early and late documents.
 */
const PARTS = ['without', 'with', 'with', 'without', 'without', 'with', 'with', 'without'] as const;
const IDLE_SECONDS = 60;
/** An event comes at most every two seconds. */
const LAST_EVENT_MS = 30_000;

interface Part {
  documents: number;
  seconds: number;
  cpuSeconds: number;
  /** Of the sessions of the database; 0 in the embedded size, whose database is part of the process. */
  databaseCpuSeconds: number;
}

/**
 * What 20 tabs of the console cost beside an ingestion: processor time and rate with and without them, in one run; what
 * they cost alone; whether memory stays flat; and whether their figures are those of the database at the end.
 */
export async function tabs(options: BenchOptions): Promise<void> {
  const count = options.documents ?? DOCUMENTS;
  await using target = await startChildMillrace('src/main.ts', { probesMemory: true });
  await push(target, createDocuments(WARM_UP_DOCUMENTS, options.bytes, { idPrefix: 'warm-up' }));
  const items = createDocuments(count, options.bytes);
  const size = Math.ceil(count / PARTS.length);
  const parts: Record<(typeof PARTS)[number], Part[]> = { with: [], without: [] };
  for (const [n, kind] of PARTS.entries()) {
    const some = items.slice(n * size, (n + 1) * size);
    await using opened = kind === 'with' ? await openConsoleTabs(target, TABS) : null;
    parts[kind].push(await measure(target, () => push(target, some), some.length));
    if (opened) console.log(`part ${n + 1}: ${JSON.stringify(opened.seen())}`);
  }
  const idle = await measure(target, () => wait(IDLE_SECONDS * 1_000), 0);
  const { idleWithTabs, memory, agrees } = await leaveOpen(target, WARM_UP_DOCUMENTS + count);
  console.log(
    `tabs: ${TABS} tabs beside ${count} documents of ${options.bytes} bytes, ${target.size}`,
  );
  console.table({
    'without tabs': rowOf(sumOf(parts.without)),
    'with tabs': rowOf(sumOf(parts.with)),
    'no documents': rowOf(idle),
    'no documents, with tabs': rowOf(idleWithTabs),
  });
  console.table(verdictOf(sumOf(parts.without), sumOf(parts.with), idle, idleWithTabs));
  console.table({ 'tabs just opened': memory.before, 'after they were open': memory.after });
  console.log(`Figures in the tabs and in the database: ${agrees}`);
}

async function push(target: ChildMillrace, items: readonly SyntheticItem[]): Promise<void> {
  const batches = Object.entries(PUSHES).find(([name]) => name.startsWith('batches'))?.[1];
  if (!batches) throw new Error('There is no way to push batches.');
  await timePush(target, items, batches);
}

async function measure(
  target: ChildMillrace,
  work: () => Promise<unknown>,
  documents: number,
): Promise<Part> {
  const before = await target.usage();
  const databaseBefore = await target.databaseCpuSeconds();
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = await target.usage();
  return {
    documents,
    seconds,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    databaseCpuSeconds: (await target.databaseCpuSeconds()) - databaseBefore,
  };
}

/** Tabs without work beside them: what they cost, what they keep, and what they show. */
async function leaveOpen(
  target: ChildMillrace,
  documents: number,
): Promise<{
  idleWithTabs: Part;
  memory: { before: MemoryReport; after: MemoryReport };
  agrees: string;
}> {
  await using opened = await openConsoleTabs(target, TABS);
  await wait(5_000);
  const before = await target.memory();
  const idleWithTabs = await measure(target, () => wait(IDLE_SECONDS * 1_000), 0);
  const after = await target.memory();
  const agrees = await compare(opened, documents);
  return { idleWithTabs, memory: { before, after }, agrees };
}

/** The part of `GET /overview` that is compared; its event has the same shape. */
interface ShownOverview {
  documents: { indexed: number; accepted: number; failed: number };
}

async function compare({ latest }: ConsoleTabs, documents: number): Promise<string> {
  const wanted = `${documents} indexed, 0 waiting, 0 failed`;
  let shown = '';
  for (
    const until = performance.now() + LAST_EVENT_MS;
    performance.now() < until;
    await wait(500)
  ) {
    const overview = latest.get('overview') as ShownOverview | undefined;
    if (!overview) continue;
    const { indexed, accepted, failed } = overview.documents;
    shown = `${indexed} indexed, ${accepted} waiting, ${failed} failed`;
    if (shown === wanted) return `equal (${shown})`;
  }
  return `DIFFERENT: ${shown}, not ${wanted}`;
}

function sumOf(parts: readonly Part[]): Part {
  const sum = (of: (part: Part) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    documents: sum(({ documents }) => documents),
    seconds: sum(({ seconds }) => seconds),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    databaseCpuSeconds: sum(({ databaseCpuSeconds }) => databaseCpuSeconds),
  };
}

function cpuOf({ cpuSeconds, databaseCpuSeconds }: Part): number {
  return cpuSeconds + databaseCpuSeconds;
}

function rowOf(part: Part) {
  const { documents, seconds, cpuSeconds, databaseCpuSeconds } = part;
  return {
    documents,
    seconds: rounded(seconds),
    'documents/s': documents === 0 ? null : rounded(documents / seconds),
    'CPU s': rounded(cpuSeconds),
    'database CPU s': rounded(databaseCpuSeconds),
    'CPU ms/document': documents === 0 ? null : rounded((cpuOf(part) * 1_000) / documents),
    'CPU, share of a core': rounded(cpuOf(part) / seconds),
  };
}

function verdictOf(without: Part, withTabs: Part, idle: Part, idleWithTabs: Part) {
  const perDocument = (part: Part): number => cpuOf(part) / part.documents;
  const alone = cpuOf(idleWithTabs) / idleWithTabs.seconds - cpuOf(idle) / idle.seconds;
  return {
    'share of the CPU, by difference, beside the ingestion': {
      measured: rounded(1 - perDocument(without) / perDocument(withTabs)),
      aim: '< 0.05',
    },
    'share of the CPU, tabs alone against the ingestion': {
      measured: rounded(alone / (cpuOf(without) / without.seconds)),
      aim: '< 0.05',
    },
    'rate with tabs / without': {
      measured: rounded(without.seconds / withTabs.seconds),
      aim: '≥ 0.95',
    },
  };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
