import { setTimeout as wait } from 'node:timers/promises';
import type { BenchOptions } from './bench-options.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { PUSHES } from './push-documents.ts';
import { createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const DOCUMENTS = 4_000;
const WARM_UP_DOCUMENTS = 200;
/** Of the small workspace; one after the other. */
const PROBES_ALONE = 5;
const PROBES_BESIDE = 8;
const BETWEEN_PROBES_MS = 1_000;
const POLL_MS = 20;
const LARGE_BYTES = 5_000_000;
const LARGE_DOCUMENTS = 6;

interface Backlog {
  name: string;
  items: SyntheticItem[];
}

/**
 * How long one document of a small workspace takes, from the request to a search that finds it, alone and while the
 * backlog of another workspace is indexed.
 */
export async function fairness(options: BenchOptions): Promise<void> {
  const count = options.documents ?? DOCUMENTS;
  const backlogs: Backlog[] = [
    {
      name: `${count} documents of ${options.bytes} bytes`,
      items: createDocuments(count, options.bytes, { idPrefix: 'many' }),
    },
    {
      name: `${LARGE_DOCUMENTS} documents of about ${LARGE_BYTES / 1e6} MB`,
      items: createDocuments(LARGE_DOCUMENTS, LARGE_BYTES, { idPrefix: 'large' }),
    },
  ];
  const table: Record<string, object> = {};
  let size = '';
  for (const { name, items } of backlogs) {
    await using target = await startChildMillrace('src/main.ts');
    ({ size } = target);
    const small = await createWorkspace(target);
    await pushAll(target, createDocuments(WARM_UP_DOCUMENTS, 4_000, { idPrefix: 'warm-up' }));
    await untilNothingWaits(target);
    table[`alone, before ${name}`] = await probe(target, small, PROBES_ALONE);
    await pushAll(target, items);
    table[`beside ${name}`] = await probe(target, small, PROBES_BESIDE);
  }
  console.log(`fairness: one document from the request until a search finds it, ${size}`);
  console.table(table);
}

async function probe(target: ChildMillrace, key: string, count: number): Promise<object> {
  const times: ProbeTimes[] = [];
  const ahead: number[] = [];
  for (let n = 0; n < count; n += 1) {
    ahead.push(await waitingCount(target));
    times.push(await timeProbe(target, key));
    await wait(BETWEEN_PROBES_MS);
  }
  const accepted = times.map(({ acceptedMs }) => acceptedMs).sort((a, b) => a - b);
  const found = times.map(({ foundMs }) => foundMs).sort((a, b) => a - b);
  return {
    'accept ms, p50': Math.round(accepted[Math.floor(count / 2)] ?? NaN),
    'accept ms, max': Math.round(accepted.at(-1) ?? NaN),
    'accepted → found ms, p50': Math.round(found[Math.floor(count / 2)] ?? NaN),
    'accepted → found ms, max': Math.round(found.at(-1) ?? NaN),
    'others waiting': `${ahead[0]} … ${ahead.at(-1)}`,
  };
}

interface ProbeTimes {
  acceptedMs: number;
  /** From the answer of the request on. */
  foundMs: number;
}

async function timeProbe(target: ChildMillrace, key: string): Promise<ProbeTimes> {
  const word = `probe${Math.random().toString(36).slice(2)}`;
  const startedMs = performance.now();
  await call(target, '/service-api/ingestion', key, {
    document: { id: word, semantic_identifier: word, sections: [{ text: `About ${word}.` }] },
  });
  const acceptedMs = performance.now() - startedMs;
  for (;;) {
    const { results } = (await call(target, '/search', key, { query: word })) as {
      results: { document_id: string }[];
    };
    const foundMs = performance.now() - startedMs - acceptedMs;
    if (results.some(({ document_id }) => document_id === word)) return { acceptedMs, foundMs };
    await wait(POLL_MS);
  }
}

async function pushAll(target: ChildMillrace, items: readonly SyntheticItem[]): Promise<void> {
  const push = PUSHES['batches of 100'];
  if (items.length >= 100 && push) {
    await push(
      target,
      items.map((item) => JSON.stringify(item)),
    );
    return;
  }
  for (const item of items) await call(target, '/service-api/ingestion', target.adminKey, item);
}

async function untilNothingWaits(target: ChildMillrace): Promise<void> {
  while ((await waitingCount(target)) > 0) await wait(POLL_MS);
}

async function waitingCount(target: ChildMillrace): Promise<number> {
  const { counts } = (await call(target, '/service-api/ingestion/stats', target.adminKey)) as {
    counts: Record<string, number>;
  };
  return (counts['accepted'] ?? 0) + (counts['indexing'] ?? 0);
}

async function createWorkspace(target: ChildMillrace): Promise<string> {
  const answer = await call(target, '/manage/admin/workspaces', target.adminKey, {
    name: 'Small',
    plan_tier: 'Enterprise',
  });
  return (answer as { api_key: string }).api_key;
}

/** A body makes it a POST. */
async function call(
  { url }: ChildMillrace,
  path: string,
  key: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
