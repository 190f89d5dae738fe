import { setTimeout as wait } from 'node:timers/promises';
import type { BenchOptions } from './bench-options.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { documentsWait, MIXES, type Mix, pushAll } from './fairness-mixes.ts';
import { createDocuments } from './synthetic-documents.ts';
import { createWorkspace } from './workspaces.ts';

const DOCUMENTS = 4_000;
const WARM_UP_DOCUMENTS = 200;
/** Probes of the small workspace, sent one after another. */
const PROBES_ALONE = 5;
/** Probing stops when the mix is done, or after this many probes, or after the time limit. */
const MAX_PROBES_BESIDE = 60;
const LONGEST_BESIDE_MS = 45_000;
const BETWEEN_PROBES_MS = 500;
const POLL_MS = 20;

/**
 * Measures how long one document of a small workspace takes, from the request until a search finds it: alone, and while
 * another workspace sends each mix. `--mix` selects mixes by name.
 */
export async function fairness(options: BenchOptions): Promise<void> {
  const names = options.mixes ?? Object.keys(MIXES);
  const table: Record<string, object> = {};
  let size = '';
  for (const name of names) {
    const make = MIXES[name];
    if (!make)
      throw new Error(`There is no mix ${name}. The mixes are ${Object.keys(MIXES).join(', ')}.`);
    const mix = make({ count: options.documents ?? DOCUMENTS, bytes: options.bytes });
    await using target = await startChildMillrace('src/main.ts');
    ({ size } = target);
    const { alone, beside } = await measure(target, mix);
    table['alone'] ??= alone;
    table[`beside ${mix.name}`] = beside;
    if (options.verbose) console.log(mix.name, beside);
  }
  console.log(`fairness: one document from the request until a search finds it, ${size}`);
  console.table(table);
}

async function measure(
  target: ChildMillrace,
  mix: Mix,
): Promise<{ alone: object; beside: object }> {
  const { adminKey: small } = await createWorkspace(target, 'Small');
  await pushAll(target, createDocuments(WARM_UP_DOCUMENTS, 4_000, { idPrefix: 'warm-up' }));
  await pushAll(target, mix.before);
  while (await documentsWait(target)) await wait(POLL_MS);
  const bytes = mix.probeBytes ?? 0;
  const alone = await probe(target, { key: small, bytes }, async (n) => n < PROBES_ALONE);
  const startedMs = performance.now();
  let sentSeconds = NaN;
  const sending = mix.send(target).then(() => {
    sentSeconds = (performance.now() - startedMs) / 1_000;
  });
  const isUnderWay = async (count: number): Promise<boolean> =>
    count < MAX_PROBES_BESIDE &&
    performance.now() - startedMs < LONGEST_BESIDE_MS &&
    (Number.isNaN(sentSeconds) || (await mix.isUnderWay(target)));
  const [beside] = await Promise.all([probe(target, { key: small, bytes }, isUnderWay), sending]);
  return { alone, beside: { ...beside, 'sent in s': Math.round(sentSeconds * 10) / 10 } };
}

interface Probe {
  key: string;
  /** Size of the text beside its unique word. */
  bytes: number;
}

async function probe(
  target: ChildMillrace,
  sent: Probe,
  shouldContinue: (count: number) => Promise<boolean>,
): Promise<object> {
  const times: ProbeTimes[] = [];
  do {
    await wait(BETWEEN_PROBES_MS);
    times.push(await timeProbe(target, sent));
  } while (await shouldContinue(times.length));
  const accepted = times.map(({ acceptedMs }) => acceptedMs).sort((a, b) => a - b);
  const found = times.map(({ foundMs }) => foundMs).sort((a, b) => a - b);
  const middle = Math.floor(times.length / 2);
  return {
    'accept ms, p50': Math.round(accepted[middle] ?? NaN),
    'accept ms, max': Math.round(accepted.at(-1) ?? NaN),
    'accepted → found ms, p50': Math.round(found[middle] ?? NaN),
    'accepted → found ms, max': Math.round(found.at(-1) ?? NaN),
    probes: times.length,
  };
}

interface ProbeTimes {
  acceptedMs: number;
  /** Counted from the response to the request. */
  foundMs: number;
}

async function timeProbe(target: ChildMillrace, { key, bytes }: Probe): Promise<ProbeTimes> {
  const text = 'A plain sentence. '.repeat(Math.ceil(bytes / 18));
  const word = `probe${Math.random().toString(36).slice(2)}`;
  const startedMs = performance.now();
  await call(target, '/service-api/ingestion', key, {
    document: {
      id: word,
      semantic_identifier: word,
      sections: [{ text: `About ${word}. ${text}` }],
    },
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

/** Sends a POST when there is a body. */
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
