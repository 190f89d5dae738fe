import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '#src/platform/message-of.ts';
import { createApiClient } from '#test/support/api-client.ts';
import { until } from '#test/support/until.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { faultsOf } from '#test/support/whole-index.ts';
import { type ChaosLength, chaosScript, type ChaosSize, type Fault } from './chaos-script.ts';
import { type ChaosStage, openEmbeddedStage, openScaleOutStage } from './chaos-stage.ts';
import {
  documentId,
  type DocumentState,
  runWorkload,
  wordOf,
  type Workload,
} from './chaos-workload.ts';

/** Leases of processes that were killed run out, and `reconcile` finds what they held. */
const RECOVERY_MS = 240_000;

export interface ChaosOutcome {
  faults: string[];
  acknowledged: number;
  unknown: number;
  refused: number;
  /** From the end of the last fault until everything was done. */
  settledMs: number;
  /** What was lost, doubled or wrong; empty when all is well. */
  violations: string[];
}

/** Runs the script of a seed, and compares what was acknowledged with rows, searches and webhooks. */
export async function runChaos(
  seed: number,
  size: ChaosSize,
  length: ChaosLength,
): Promise<ChaosOutcome> {
  const script = chaosScript(seed, size, length);
  await using receiver = await startReceiver();
  await using stage = await (size === 'embedded' ? openEmbeddedStage() : openScaleOutStage());
  const { status } = await createApiClient(stage.urls[0] ?? '', stage.key).call(
    'POST',
    '/webhook-endpoints',
    { url: receiver.url, event_types: ['document.indexed'] },
  );
  if (status >= 300) throw new Error(`The webhook endpoint was answered with ${status}.`);
  const deaths: string[] = [];
  const strikeAll = async () => {
    for (const { waitMs, fault } of script.faults) {
      await wait(waitMs);
      // A process that did not end or start well is a finding, and the clients go on.
      await stage.strike(fault).catch((error: unknown) => deaths.push(messageOf(error)));
      deaths.push(...stage.deaths());
    }
  };
  const [workload] = await Promise.all([runWorkload(stage, script.clients), strikeAll()]);
  const startedMs = performance.now();
  // What was written by a fast clock is in the future of a right one, and waits until then.
  const recoveryMs = RECOVERY_MS + Math.max(...script.faults.map(clockErrorMs));
  const unsettled = await settle(stage, workload, receiver, recoveryMs);
  const settledMs = Math.round(performance.now() - startedMs);
  deaths.push(...stage.deaths());
  const violations = [
    ...new Set(deaths),
    ...workload.wrong,
    ...unsettled,
    ...(await unfound(stage, workload)),
    ...(await stage.readRows(async (db) => [
      ...wrongStates(workload, await readStates(db)),
      ...Object.entries(await faultsOf(db))
        .filter(([, rows]) => rows.length > 0)
        .map(([name, rows]) => `${name}: ${JSON.stringify(rows)}`),
    ])),
  ];
  const { acknowledged, unknown, refused } = workload;
  const faults = script.faults.map(({ fault }) => nameOf(fault));
  return { faults, acknowledged, unknown, refused, settledMs, violations };
}

function clockErrorMs({ fault }: { fault: Fault }): number {
  return 'clockMs' in fault ? Math.abs(fault.clockMs) : 0;
}

function nameOf(fault: Fault): string {
  return 'target' in fault ? `${fault.kind} ${fault.target}` : fault.kind;
}

/** Waits until nothing is waiting, and every document that must be there has been told of. @returns what did not happen */
async function settle(
  stage: ChaosStage,
  workload: Workload,
  receiver: WebhookReceiver,
  recoveryMs: number,
): Promise<string[]> {
  const client = createApiClient(stage.urls[0] ?? '', stage.key);
  const violations: string[] = [];
  const nothingWaits = async () => {
    const { status, body } = await client.call('GET', '/service-api/ingestion/stats');
    if (status !== 200) return false;
    const { accepted, indexing, deleting } = body.counts;
    return accepted + indexing + deleting === 0;
  };
  await until(() => nothingWaits().catch(() => false), recoveryMs, 250).catch(() =>
    violations.push('documents are still waiting'),
  );
  const untold = () => {
    const told = new Set(receiver.requests.flatMap(({ body }) => idsIn(String(body))));
    return [...workload.documents]
      .filter(([id, { acknowledged }]) => acknowledged !== null && !told.has(id))
      .map(([id]) => id);
  };
  await until(() => Promise.resolve(untold().length === 0), recoveryMs, 250).catch(() =>
    violations.push(`no webhook told of ${untold().join(', ')}`),
  );
  return violations;
}

function idsIn(body: string): string[] {
  const { data } = JSON.parse(body) as { data: { documents?: { document_id: string }[] } };
  return data.documents?.map(({ document_id }) => document_id) ?? [];
}

/** Documents whose acknowledged version a search does not put first, where no other state is possible. */
async function unfound(stage: ChaosStage, { documents }: Workload): Promise<string[]> {
  const client = createApiClient(stage.urls.at(-1) ?? '', stage.key);
  const missing: string[] = [];
  for (const [id, { acknowledged, possible }] of documents) {
    if (acknowledged === null || possible.size > 0) continue;
    const word = wordOf(numberOf(id), acknowledged);
    const { body } = await client.call('POST', '/search', { query: word, limit: 3 });
    if (body.results?.[0]?.document_id !== id) missing.push(`a search for ${word} misses ${id}`);
  }
  return missing;
}

const numberOf = (id: string): number => Number(id.slice(documentId(0).length - 1));

async function readStates(db: Parameters<typeof faultsOf>[0]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; version: string | null }>`
    select d.external_id as id, substring(c.text from 'Here stands zq\\d+v(\\d+)x') as version
    from document d left join chunk c on c.document_id = d.id and c.text like '%Here stands zq%'
    `.execute(db);
  return new Map(rows.map(({ id, version }) => [id, Number(version ?? Number.NaN)]));
}

function wrongStates({ documents }: Workload, states: ReadonlyMap<string, number>): string[] {
  return [...documents].flatMap(([id, { acknowledged, possible }]) => {
    const state: DocumentState = states.get(id) ?? null;
    if (state === acknowledged || possible.has(state)) return [];
    return [`${id} is ${stateName(state)}; acknowledged is ${stateName(acknowledged)}`];
  });
}

const stateName = (state: DocumentState): string => (state === null ? 'gone' : `version ${state}`);
