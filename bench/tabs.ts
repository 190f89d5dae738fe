import { setTimeout as wait } from 'node:timers/promises';
import { startFakeSource } from '#test/support/fake-source.ts';
import { until } from '#test/support/until.ts';
import type { BenchOptions } from './bench-options.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { type ConsolePage, livePages, openConsoleTabs } from './console-tabs.ts';
import { awaitFigures } from './console-figures.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const TABS = 20;
const DOCUMENTS = 20_000;
const MINUTES = 10;
/** Before the first part, as a share of what comes with tabs. */
const WARM_UP_SHARE = 0.05;
/**
 * Indexing becomes slower while the index grows, and a shared machine changes its pace: parts with tabs and without
 * alternate, so that both kinds get the same share of early and late documents.
 */
const PARTS = ['without', 'with', 'with', 'without', 'without', 'with', 'with', 'without'] as const;
const PARTS_OF_A_KIND = PARTS.length / 2;
/** After each part without tabs, to know what the service costs when nothing happens. */
const IDLE_SECONDS = 10;
const SETUP_TIMEOUT_MS = 60_000;
/** Seldom enough to cost nothing beside the ingestion. */
const POLL_MS = 500;

interface Usage {
  documents: number;
  seconds: number;
  cpuSeconds: number;
  /** Of the sessions of the database; 0 in the embedded size, whose database is part of the process. */
  databaseCpuSeconds: number;
}

interface Part {
  kind: (typeof PARTS)[number];
  /** Until each tab shows its page. */
  opening: Usage;
  ingestion: Usage;
  /** After it, with the tabs still open if there are any. */
  rest: Usage;
  /** Of the service's own heap, at the end. */
  heapMb: number;
  events: number;
  answers: number;
  figures: string;
}

interface Stage {
  target: ChildMillrace;
  pages: readonly ConsolePage[];
  connectorId: number;
  /** Documents that are there already. */
  documents: number;
  /** How long the tabs of a part stay open. */
  openSeconds: number;
}

/**
 * What 20 tabs of the console cost while they are open for ten minutes, 20,000 documents arriving meanwhile, beside as
 * many documents without tabs: processor time, rate, memory, and whether their figures are those of the database.
 */
export async function tabs(options: BenchOptions): Promise<void> {
  const count = options.documents ?? DOCUMENTS;
  const minutes = options.minutes ?? MINUTES;
  await using site = await startFakeSource(() => ({
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Hives</title><p>A hive holds some fifty thousand bees.</p>',
  }));
  await using target = await startChildMillrace('src/main.ts', {
    probesMemory: true,
    settings: { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' },
  });
  const stage = await prepareStage(
    target,
    site.url,
    createDocuments(Math.ceil(count * WARM_UP_SHARE), options.bytes, { idPrefix: 'warm-up' }),
  );
  stage.openSeconds = (minutes * 60) / PARTS_OF_A_KIND;
  const size = Math.ceil(count / PARTS_OF_A_KIND);
  const items = createDocuments(size * PARTS.length, options.bytes).map((item) => ({
    ...item,
    cc_pair_id: stage.connectorId,
  }));
  const parts: Part[] = [];
  for (const [n, kind] of PARTS.entries()) {
    parts.push(await runPart(stage, kind, items.slice(n * size, (n + 1) * size)));
    stage.documents += size;
  }
  report(parts, `${TABS} tabs, ${options.bytes} bytes a document, ${target.size}`);
}

/** A connector, an endpoint with a delivery, a search for leads, a sender account and documents, for the pages to show. */
async function prepareStage(
  target: ChildMillrace,
  siteUrl: string,
  warmUp: readonly SyntheticItem[],
): Promise<Stage> {
  const connectorId = Number(
    (
      await call(target, 'POST', '/manage/admin/connector-with-mock-credential', {
        name: 'Bench site',
        source: 'web',
        input_type: 'poll',
        access_type: 'public',
        connector_specific_config: { base_url: `${siteUrl}/`, web_connector_type: 'single' },
      })
    )['data'],
  );
  const endpoint = await call(target, 'POST', '/webhook-endpoints', {
    url: `${siteUrl}/hook`,
    event_types: ['ops.alarm.raised'],
  });
  const endpointId = String(endpoint['id']);
  const sent = await call(target, 'POST', `/webhook-endpoints/${endpointId}/test`, {});
  await call(target, 'POST', '/tools/lead-scraper', { mode: 'scrape_url', query: `${siteUrl}/` });
  const account = await call(target, 'POST', '/email-accounts', {
    email: 'bench@hives.example',
    smtp_host: '127.0.0.1',
    smtp_password: 'a password',
  });
  await until(async () => {
    const pair = await call(target, 'GET', `/manage/admin/cc-pair/${connectorId}`);
    return pair['indexing'] === false && pair['last_index_attempt_status'] === 'success';
  }, SETUP_TIMEOUT_MS);
  await push(
    target,
    warmUp.map((item) => ({ ...item, cc_pair_id: connectorId })),
  );
  // The lists have the shapes that the API's description names.
  const first = async <Shown>(path: string, list: string): Promise<Shown | undefined> =>
    ((await call(target, 'GET', path))[list] as Shown[])[0];
  const shown = await first<{ document_id: string }>('/service-api/ingestion?limit=1', 'documents');
  const scrape = await first<{ scrape_id: string }>('/tools/lead-scraper?limit=1', 'scrapes');
  const jobs = '/operations/queues/file-sweep/jobs?state=delayed';
  const job = await first<{ job_id: string }>(jobs, 'jobs');
  const pages = livePages({
    connectorId,
    endpointId,
    documentId: shown?.document_id ?? '',
    deliveryId: String(sent['delivery_id']),
    jobId: job?.job_id ?? '',
    scrapeId: scrape?.scrape_id ?? '',
    accountId: String(account['id']),
  });
  return { target, pages, connectorId, documents: warmUp.length + 1, openSeconds: 0 };
}

async function runPart(
  { target, pages, connectorId, documents, openSeconds }: Stage,
  kind: Part['kind'],
  items: readonly SyntheticItem[],
): Promise<Part> {
  const startedMs = performance.now();
  await using opened = kind === 'with' ? openConsoleTabs(target, pages, TABS) : null;
  const opening = await measure(target, () => opened?.areOpen ?? Promise.resolve(), 0);
  const ingestion = await measure(target, () => push(target, items), items.length);
  const passed = (performance.now() - startedMs) / 1_000;
  const restSeconds = opened === null ? IDLE_SECONDS : Math.max(1, openSeconds - passed);
  const rest = await measure(target, () => wait(restSeconds * 1_000), 0);
  const figures =
    opened === null
      ? ''
      : await awaitFigures(opened.latest, { connectorId, documents: documents + items.length });
  const { heapMb } = await target.memory();
  const part = {
    kind,
    opening,
    ingestion,
    rest,
    heapMb,
    figures,
    ...(opened?.seen() ?? NOTHING_SEEN),
  };
  console.log(
    `${kind} tabs: ${items.length} documents in ${rounded(ingestion.seconds)} s, then ${rounded(rest.seconds)} s; heap ${rounded(heapMb)} MB; ${part.events} events, ${part.answers} answers ${figures}`,
  );
  return part;
}

const NOTHING_SEEN = { events: 0, answers: 0 };

async function push(target: ChildMillrace, items: readonly SyntheticItem[]): Promise<void> {
  const batches = Object.entries(PUSHES).find(([name]) => name.startsWith('batches'))?.[1];
  if (!batches) throw new Error('There is no way to push batches.');
  await timePush(target, items, batches, POLL_MS);
}

async function call(
  target: ChildMillrace,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${target.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${target.adminKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  // An object by the API's description.
  return JSON.parse(text) as Record<string, unknown>;
}

async function measure(
  target: ChildMillrace,
  work: () => Promise<unknown>,
  documents: number,
): Promise<Usage> {
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

function report(parts: readonly Part[], title: string): void {
  const withTabs = parts.filter(({ kind }) => kind === 'with');
  const without = parts.filter(({ kind }) => kind === 'without');
  const ingestion = {
    with: sumOf(withTabs.map((part) => part.ingestion)),
    without: sumOf(without.map((part) => part.ingestion)),
  };
  const rest = {
    with: sumOf(withTabs.map((part) => part.rest)),
    without: sumOf(without.map((part) => part.rest)),
  };
  const opening = sumOf(withTabs.map((part) => part.opening));
  console.log(`tabs: ${title}`);
  console.table({
    [`opening the tabs, ${withTabs.length} times`]: rowOf(opening),
    'documents, no tabs': rowOf(ingestion.without),
    'documents and tabs': rowOf(ingestion.with),
    'no documents, no tabs': rowOf(rest.without),
    'no documents, tabs': rowOf(rest.with),
  });
  const perDocument = (usage: Usage): number => cpuOf(usage) / usage.documents;
  const open = withTabs.reduce((sum, part) => sum + part.ingestion.seconds + part.rest.seconds, 0);
  const [first, last] = [withTabs[0]?.heapMb ?? NaN, withTabs.at(-1)?.heapMb ?? NaN];
  const wrong = withTabs.find(({ figures }) => !figures.startsWith('equal'));
  console.table({
    'share of the CPU that goes to the console': {
      measured: rounded(1 - perDocument(ingestion.without) / perDocument(ingestion.with)),
      aim: '< 0.05',
    },
    'rate of the ingestion, with tabs / without': {
      measured: rounded(
        ingestion.with.documents /
          ingestion.with.seconds /
          (ingestion.without.documents / ingestion.without.seconds),
      ),
      aim: '≥ 0.95',
    },
    'heap at the end of the last part with tabs / of the first': {
      measured: rounded(last / first),
      aim: '< 1.1',
    },
    'figures in the tabs and in the database': {
      measured: wrong?.figures ?? 'equal',
      aim: 'equal',
    },
    'minutes that the tabs were open': {
      measured: rounded(open / 60),
      aim: `${MINUTES}, with ${DOCUMENTS} documents`,
    },
    'a core, share that the tabs take when nothing happens': {
      measured: rounded(
        cpuOf(rest.with) / rest.with.seconds - cpuOf(rest.without) / rest.without.seconds,
      ),
      aim: '',
    },
  });
}

function sumOf(usages: readonly Usage[]): Usage {
  const sum = (of: (usage: Usage) => number): number =>
    usages.reduce((total, usage) => total + of(usage), 0);
  return {
    documents: sum(({ documents }) => documents),
    seconds: sum(({ seconds }) => seconds),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    databaseCpuSeconds: sum(({ databaseCpuSeconds }) => databaseCpuSeconds),
  };
}

function cpuOf({ cpuSeconds, databaseCpuSeconds }: Usage): number {
  return cpuSeconds + databaseCpuSeconds;
}

function rowOf(usage: Usage) {
  const { documents, seconds, cpuSeconds, databaseCpuSeconds } = usage;
  return {
    documents,
    seconds: rounded(seconds),
    'documents/s': documents === 0 ? null : rounded(documents / seconds),
    'CPU s': rounded(cpuSeconds),
    'database CPU s': rounded(databaseCpuSeconds),
    'CPU ms/document': documents === 0 ? null : rounded((cpuOf(usage) * 1_000) / documents),
    'CPU, share of a core': rounded(cpuOf(usage) / seconds),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
