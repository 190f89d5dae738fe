import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectorDelete } from '#queues/connector-delete.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { deletePair } from '#src/connectors/administration/delete-pair.ts';
import { requestDeletion } from '#src/connectors/administration/request-deletion.ts';
import { claimPrune, releasePrune } from '#src/connectors/runs/claim-prune.ts';
import { pruneConnector } from '#src/connectors/runs/prune-connector.ts';
import { reconcileConnectors } from '#src/connectors/runs/reconcile-connectors.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { linkScripted, pages, type ScriptedPair } from '#test/support/scripted-pair.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const never = new AbortController().signal;
/** Of a process; a workspace has two of them. */
const PLACES = 3;

interface Sent {
  queue: string;
  pair: CcPairId;
  priority: number | undefined;
}

let stage: TestServices;
let services: Services;
let sent: Sent[];
let large: TestServices;
let small: TestServices;

beforeAll(async () => {
  stage = await openTestServices({ CONNECTOR_PRUNE_CONCURRENCY: String(PLACES) });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from cc_pair`.execute(stage.services.db);
  sent = [];
  services = { ...stage.services, producer: listeningProducer(stage.services.producer) };
  [large, small] = [await stageOf('Large'), await stageOf('Small')];
});

function listeningProducer(producer: Services['producer']): Services['producer'] {
  const note = (queue: string, payload: unknown, priority: number | undefined): void => {
    sent.push({ queue, pair: (payload as { ccPairId: CcPairId }).ccPairId, priority });
  };
  return {
    ...producer,
    oldestWaitingAgeMs: async () => null,
    enqueue: async ({ name }, payload, options) => note(name, payload, options?.priority),
    enqueueMany: async ({ name }, payloads, options) => {
      for (const payload of payloads) note(name, payload, options?.priority);
    },
  };
}

async function stageOf(name: string): Promise<TestServices> {
  const made = await createWorkspace(stage.services.db, { name, planTier: 'Free' });
  return { ...stage, services, workspaceId: made.workspaceId };
}

/** A pair that was fetched once. */
async function linkFetched(of: TestServices): Promise<ScriptedPair> {
  const scripted = await linkScripted(of);
  scripted.script.poll = pages([{ documents: [scripted.document('kept')] }]);
  scripted.script.listIds = async function* listIds() {
    yield [scripted.named('kept')];
  };
  await syncConnector(services, scripted.pair, never);
  sent.length = 0;
  return scripted;
}

async function linkMany(of: TestServices, count: number): Promise<CcPairId[]> {
  const pairs: CcPairId[] = [];
  for (let n = 0; n < count; n += 1) pairs.push((await linkFetched(of)).pair);
  return pairs;
}

async function request(workspaceId: WorkspaceId, pairs: readonly CcPairId[]): Promise<void> {
  for (const ccPairId of pairs) {
    await requestPrune(services, { workspaceId, ccPairId, confirm: null, requestId: null });
  }
}

async function statusOf(pair: CcPairId): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select status from prune_attempt where cc_pair_id = ${pair} order by id desc limit 1`.execute(
    services.db,
  );
  return rows[0]?.status;
}

const priorities = (pairs: readonly CcPairId[]) =>
  pairs.map((pair) => sent.findLast((one) => one.pair === pair)?.priority);

describe('prunes', () => {
  it('of one workspace never take all places', async () => {
    const crowd = await linkMany(large, PLACES + 1);
    const [only] = (await linkMany(small, 1)) as [CcPairId];
    await request(large.workspaceId, crowd);
    await request(small.workspaceId, [only]);
    const claimed = [];
    for (const pair of [...crowd, only]) claimed.push(await claimPrune(services, pair));
    expect(claimed.map((one) => one !== null)).toEqual([true, true, false, false, true]);
    expect(await Promise.all([...crowd, only].map(statusOf))).toEqual([
      'in_progress',
      'in_progress',
      'not_started',
      'not_started',
      'in_progress',
    ]);
  });

  it('that found no place are sent one by one as others of their workspace end', async () => {
    const crowd = await linkMany(large, PLACES + 1);
    await request(large.workspaceId, crowd);
    const [first, second, third, fourth] = crowd as [CcPairId, CcPairId, CcPairId, CcPairId];
    const held = await claimPrune(services, first);
    const alsoHeld = await claimPrune(services, second);
    if (!held || !alsoHeld) throw new Error('Two prunes of a workspace may run.');
    expect(await pruneConnector(services, third, never)).toMatchObject({ end: 'nothing to do' });
    await releasePrune(services.db, alsoHeld, null);
    sent.length = 0;
    expect(await pruneConnector(services, third, never)).toMatchObject({ end: 'ended' });
    expect(sent).toEqual([{ queue: 'connector-prune', pair: second, priority: 2 }]);
    sent.length = 0;
    expect(await pruneConnector(services, second, never)).toMatchObject({ end: 'ended' });
    expect(sent).toEqual([{ queue: 'connector-prune', pair: fourth, priority: 2 }]);
  });

  it('go in turns: the first of one workspace before the second of another', async () => {
    const crowd = await linkMany(large, 4);
    const others = await linkMany(small, 2);
    await request(large.workspaceId, crowd);
    await request(small.workspaceId, others);
    expect(priorities(crowd)).toEqual([1, 2, 3, 4]);
    expect(priorities(others)).toEqual([1, 2]);
  });

  it('that are due at the same moment go in turns as well, and stay open when they find no place', async () => {
    const crowd = await linkMany(large, 3);
    const others = await linkMany(small, 1);
    await sql`update connector set prune_freq = 3600`.execute(services.db);
    await sql`update cc_pair set next_prune_at = ${new Date(services.clock().getTime() - 60_000)},
      queued_at = 'epoch' where id = any(${[...crowd, ...others]}::int[])`.execute(services.db);
    await reconcileConnectors(services, never);
    expect(new Set(priorities(crowd))).toEqual(new Set([1, 2, 3]));
    expect(priorities(others)).toEqual([1]);
    for (const pair of crowd) await claimPrune(services, pair);
    const statuses = await Promise.all(crowd.map(statusOf));
    expect(statuses).toEqual(['in_progress', 'in_progress', 'not_started']);
    const { rows } = await sql`select id from cc_pair
      where workspace_id = ${large.workspaceId} and next_prune_at < ${services.clock()}`.execute(
      services.db,
    );
    expect(rows).toEqual([]);
  });

  it('without a place are not sent again by reconcile before there is one', async () => {
    const crowd = await linkMany(large, 3);
    await request(large.workspaceId, crowd);
    const [first, second, third] = crowd as [CcPairId, CcPairId, CcPairId];
    await claimPrune(services, first);
    const held = await claimPrune(services, second);
    const reconcile = async (): Promise<Sent[]> => {
      sent.length = 0;
      await sql`update prune_attempt set queued_at = 'epoch'`.execute(services.db);
      await reconcileConnectors(services, never);
      return sent.filter(({ queue }) => queue === 'connector-prune');
    };
    expect(await reconcile()).toEqual([]);
    if (held) await releasePrune(services.db, held, null);
    const again = await reconcile();
    expect(new Set(again.map(({ pair }) => pair))).toEqual(new Set([second, third]));
    expect(new Set(again.map(({ priority }) => priority))).toEqual(new Set([1, 2]));
  });
});

describe('deletions', () => {
  const remove = async (of: TestServices, pairs: readonly CcPairId[]): Promise<void> => {
    const { workspaceId } = of;
    for (const ccPairId of pairs) {
      await requestDeletion(services, { workspaceId, ccPairId, requestId: null });
    }
  };
  const isThere = async (pair: CcPairId): Promise<boolean> => {
    const { rows } = await sql`select 1 from cc_pair where id = ${pair}`.execute(services.db);
    return rows.length > 0;
  };

  it('go in turns: the first of one workspace before the second of another', async () => {
    const crowd = await linkMany(large, 3);
    const others = await linkMany(small, 1);
    await remove(large, crowd);
    await remove(small, others);
    expect(priorities(crowd)).toEqual([1, 2, 3]);
    expect(priorities(others)).toEqual([1]);
  });

  it('give their place away while others wait, and go on in a further job', async () => {
    const [pair, next] = (await linkMany(large, 2)) as [CcPairId, CcPairId];
    await remove(large, [pair, next]);
    let waiting = 1;
    const crowded: Services = {
      ...services,
      producer: {
        ...services.producer,
        counts: async ({ name }) => ({ prioritized: name === connectorDelete.name ? waiting : 0 }),
      },
    };
    sent.length = 0;
    await deletePair(crowded, pair, never, 0);
    expect(sent).toEqual([{ queue: 'connector-delete', pair, priority: 1 }]);
    expect(await isThere(pair)).toBe(true);
    waiting = 0;
    await deletePair(crowded, pair, never, 0);
    expect([await isThere(pair), await isThere(next)]).toEqual([false, true]);
  });
});
