import { parseArgs } from 'node:util';
import { answers } from './answers.ts';
import type { Bench, BenchOptions } from './bench-options.ts';
import { boilerplate } from './boilerplate.ts';
import { chaos } from './chaos.ts';
import { chat, chatCosts } from './chat.ts';
import { fairness } from './fairness.ts';
import { ingest } from './ingest.ts';
import { leads } from './leads.ts';
import { overload } from './overload.ts';
import { personModel } from './person-model.ts';
import { prepare } from './prepare.ts';
import { processes } from './processes.ts';
import { relevance } from './relevance.ts';
import { scale } from './scale.ts';
import { schedule } from './schedule.ts';
import { search } from './search.ts';
import { soak } from './soak.ts';
import { stalls } from './stalls.ts';
import { sync } from './sync.ts';
import { tabs } from './tabs.ts';
import { webhooks } from './webhooks.ts';

const DEFAULT_BYTES = 4_000;

const BENCHES: Record<string, Bench> = {
  ingest: {
    summary: 'documents through the HTTP API until they are indexed, beside raw SQL and raw BullMQ',
    run: ingest,
  },
  prepare: {
    summary: 'MB/s a core of chunking, terms and vectors, beside a match of words by a pattern',
    run: prepare,
  },
  fairness: {
    summary:
      'one document of a small workspace until it is found, alone and beside the backlog of another',
    run: fairness,
  },
  processes: {
    summary: 'documents until they are indexed with 1, 2 and 4 processes of each kind',
    run: processes,
  },
  overload: {
    summary:
      'three times as many documents as can be indexed: Retry-After, search, and what is lost',
    run: overload,
  },
  search: {
    summary:
      'hybrid search beside a bare HNSW query, ts_rank_cd and exact cosine; storage of words',
    run: search,
  },
  sync: {
    summary: 'runs of the web and tracker connectors, beside a bare fetch loop of the same pages',
    run: sync,
  },
  schedule: {
    summary: 'an hour of 200 pairs that are due every minute, in simulated time',
    run: schedule,
  },
  webhooks: {
    summary: 'webhooks to local receivers, beside a bare loop that signs and posts',
    run: webhooks,
  },
  boilerplate: {
    summary: 'words kept and leaked of pages that documentation generators made',
    run: boilerplate,
  },
  leads: {
    summary:
      'precision and recall of leads on labelled pages and pages/s beside parsing, or on labelled sites',
    run: leads,
  },
  'person-model': {
    summary:
      'trains what tells persons from other names on the labelled sites, and writes its weights',
    run: personModel,
  },
  chat: {
    summary:
      '200 streams at once: first packet, tokens/s and memory, beside a bare proxy of the model',
    run: chat,
  },
  'chat-costs': {
    summary: 'processor time of a chat request and of a token, beside a bare proxy of the model',
    run: chatCosts,
  },
  stalls: {
    summary: 'how long the worst requests of each route hold the event loop',
    run: stalls,
  },
  answers: {
    summary: 'answers without a model to labelled questions: refused, right document, key fact',
    run: answers,
  },
  tabs: {
    summary: '20 tabs of the console beside an ingestion: processor time, rate, memory and figures',
    run: tabs,
  },
  chaos: {
    summary: 'seeded faults of processes, Postgres and Redis: what was acknowledged and is lost',
    run: chaos,
  },
  scale: {
    summary:
      '40 workspaces at 10 k, 100 k and 1 M chunks: pace, searches, memory, sizes, upkeep; --chunks',
    bytes: 1_300,
    run: scale,
  },
  soak: {
    summary: 'mixed load below capacity for --minutes, by minute, and which figures drift',
    bytes: 1_300,
    run: soak,
  },
  relevance: { summary: 'nDCG@10 on test collections, beside published BM25', run: relevance },
};

/** `npm run bench -- [name …]`: runs the named benches, or lists them all. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      documents: { type: 'string' },
      bytes: { type: 'string' },
      chunks: { type: 'string' },
      deliveries: { type: 'string' },
      endpoints: { type: 'string' },
      minutes: { type: 'string' },
      mix: { type: 'string', multiple: true },
      split: { type: 'string', default: 'all' },
      set: { type: 'string', default: 'pages' },
      questions: { type: 'string' },
      seed: { type: 'string' },
      seeds: { type: 'string' },
      size: { type: 'string', default: 'scale-out' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0 || positionals.length === 0) {
    for (const name of unknown) console.error(`There is no bench called ${name}.`);
    printList();
    process.exitCode = unknown.length > 0 ? 1 : 0;
    return;
  }
  const options = {
    documents: countOf('documents', values.documents),
    chunks: countOf('chunks', values.chunks),
    deliveries: countOf('deliveries', values.deliveries),
    endpoints: countOf('endpoints', values.endpoints),
    minutes: countOf('minutes', values.minutes),
    mixes: values.mix ?? null,
    split: splitOf(values.split),
    set: setOf(values.set),
    questions: values.questions ?? null,
    seed: countOf('seed', values.seed),
    seeds: countOf('seeds', values.seeds),
    size: sizeOf(values.size),
    verbose: values.verbose,
  };
  const bytes = countOf('bytes', values.bytes);
  for (const name of positionals) {
    const bench = BENCHES[name];
    await bench?.run({ ...options, bytes: bytes ?? bench.bytes ?? DEFAULT_BYTES });
  }
}

function printList(): void {
  console.log(
    'npm run bench -- <name …> [--documents n] [--bytes n] [--chunks n] [--deliveries n] [--endpoints n] [--minutes n] [--mix name …] [--split dev|held-out|all] [--set pages|sites] [--questions folder] [--seed n] [--seeds n] [--size embedded|scale-out] [--verbose]\n',
  );
  for (const [name, { summary }] of Object.entries(BENCHES)) {
    console.log(`  ${name.padEnd(11)} ${summary}`);
  }
  console.log(
    '\nTEST_DATABASE_URL and TEST_REDIS_URL select the size; without them, the embedded size is used.',
  );
}

function countOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`--${name} is ${text}; write a whole number above 0.`);
}

function splitOf(text: string): BenchOptions['split'] {
  if (text === 'dev' || text === 'held-out' || text === 'all') return text;
  throw new Error(`--split is ${text}; write dev, held-out or all.`);
}

function sizeOf(text: string): BenchOptions['size'] {
  if (text === 'embedded' || text === 'scale-out') return text;
  throw new Error(`--size is ${text}; write embedded or scale-out.`);
}

function setOf(text: string): BenchOptions['set'] {
  if (text === 'pages' || text === 'sites') return text;
  throw new Error(`--set is ${text}; write pages or sites.`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
