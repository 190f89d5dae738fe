// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestDeletion } from '#src/connectors/administration/request-deletion.ts';
import { claimPrune, endPrune } from '#src/connectors/runs/claim-prune.ts';
import { type ClaimedRun, claimRun } from '#src/connectors/runs/claim-run.ts';
import { endRun } from '#src/connectors/runs/finish-run.ts';
import { lockPair, readPair } from '#src/connectors/runs/open-pair.ts';
import { hasPlace } from '#src/connectors/runs/prune-turns.ts';
import { reconcileConnectors } from '#src/connectors/runs/reconcile-connectors.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { sendFailedAgain } from '#src/connectors/runs/retry-failed.ts';
import { savePage } from '#src/connectors/runs/save-page.ts';
import type { CcPairId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { NEVER } from '#test/support/email-rows.ts';
import { insertDocument } from '#test/support/insert-document.ts';
import { insertLinkedPair } from '#test/support/test-services.ts';
import {
  afterWaiting,
  openImpatientServices,
  queuedBehindLock,
  valuesOf,
  whileLocked,
} from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];
const WEB = { base_url: 'https://example.com/' };

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const newPair = (source = 'web', settings: Record<string, unknown> = WEB) =>
    insertLinkedPair(
      { ...stage, waits: [], advance: () => undefined },
      { source, settings, credential: null, refreshSeconds: 3_600 },
    );
  const inPair = (ccPairId: CcPairId) => ({ workspaceId: stage.workspaceId, ccPairId });

  const statusOf = async (id: number): Promise<string | null> => {
    const { rows } = await sql<{ status: string }>`
      select status from document where id = ${id}`.execute(services.db);
    return rows[0]?.status ?? null;
  };

  async function claimedRun(): Promise<ClaimedRun> {
    const run = await claimRun(services, await newPair());
    if (run === null) throw new Error('The run of a new pair is due.');
    return run;
  }

  describe('lost jobs are sent again, except those of the row that is being written:', () => {
    /** Makes the two rows due, of which the first is locked. */
    const LOST: [string, string, string, (pairs: CcPairId[]) => Promise<unknown>][] = [
      [
        'runs that began',
        'connector-sync',
        'index_attempt',
        (pairs) =>
          sql`insert into index_attempt (workspace_id, cc_pair_id, status, poll_range_end,
              settings_hash, queued_at)
            select ${stage.workspaceId}::uuid, id, 'not_started', now(), '', 'epoch'
            from unnest(${pairs}::int[]) as id`.execute(services.db),
      ],
      [
        'runs that are due',
        'connector-sync',
        'cc_pair',
        () => sql`update cc_pair set next_run_at = now() - interval '1 hour'`.execute(services.db),
      ],
      [
        'prunes that began',
        'connector-prune',
        'prune_attempt',
        (pairs) =>
          sql`insert into prune_attempt (workspace_id, cc_pair_id, status, queued_at)
            select ${stage.workspaceId}::uuid, id, 'not_started', 'epoch'
            from unnest(${pairs}::int[]) as id`.execute(services.db),
      ],
      [
        'prunes that are due',
        'connector-prune',
        'cc_pair',
        () =>
          sql`update cc_pair set next_prune_at = now() - interval '1 hour'`.execute(services.db),
      ],
      [
        'deletions',
        'connector-delete',
        'cc_pair',
        () => sql`update cc_pair set status = 'DELETING'`.execute(services.db),
      ],
    ];

    it.each(LOST)('%s', async (_, queue, table, makeDue) => {
      await sql`delete from cc_pair where connector_id is not null`.execute(services.db);
      const pairs = [await newPair(), await newPair()];
      await sql`update cc_pair set next_run_at = null, queued_at = 'epoch'
        where connector_id is not null`.execute(services.db);
      await makeDue(pairs);
      const key = sql.ref(table === 'cc_pair' ? 'id' : 'cc_pair_id');
      const sent = await whileLocked(
        services.db,
        (trx) =>
          sql`select 1 from ${sql.table(table)} where ${key} = ${pairs[0]} for update`.execute(trx),
        () => reconcileConnectors(services, NEVER),
      );
      expect(sent).toMatchObject({ [queue]: 1 });
    });
  });

  describe('a run', () => {
    it('requested twice is opened once', async () => {
      const pair = await newPair();
      const request = { ...inPair(pair), fromBeginning: false, requestId: null };
      const ids = valuesOf(
        await queuedBehindLock(services.db, (trx) => lockPair(trx, pair), [
          () => requestRun(services, request),
          () => requestRun(services, request),
        ]),
      );
      expect(new Set(ids).size).toBe(1);
    });

    it('ends with the failures that were added at its end', async () => {
      const run = await claimedRun();
      await afterWaiting(
        services.db,
        (trx) =>
          sql`update index_attempt set fetched = 9, failed = 9 where id = ${run.id}`.execute(trx),
        () => endRun(services.db, run, new Date(), false),
      );
      const { rows } = await sql<{ status: string }>`
        select status from index_attempt where id = ${run.id}`.execute(services.db);
      expect(rows).toEqual([{ status: 'failed' }]);
    });

    it('ends with the due time that was set at its end', async () => {
      const run = await claimedRun();
      const later = new Date(Date.now() + 86_400_000);
      const { next } = await afterWaiting(
        services.db,
        (trx) =>
          sql`update cc_pair set next_run_at = ${later} where id = ${run.pair.id}`.execute(trx),
        () => endRun(services.db, run, new Date(), false),
      );
      expect(next).toEqual(later);
    });

    const OUTCOME = {
      accepted: [],
      created: 0,
      unchanged: [],
      skipped: [],
      notes: [],
      failures: [],
      removed: [],
      stored: [],
    };
    const PAGE = { memory: [], description: 'Page 1', estimatedTotal: null };
    const VERBS: Record<string, (run: ClaimedRun) => Promise<unknown>> = {
      'a page is saved': (run) =>
        savePage(services.db, run, OUTCOME, PAGE, {
          checkpoint: undefined,
          mayRepeat: false,
          now: new Date(),
        }),
      'it ends': (run) => endRun(services.db, run, new Date(), false),
      'its pair is deleted': ({ pair }) =>
        requestDeletion(services, { ...inPair(pair.id), requestId: null }),
    };

    it.each(Object.entries(VERBS))('is locked after its pair, as always: %s', async (_, verb) => {
      const run = await claimedRun();
      await afterWaiting(
        services.db,
        (trx) => lockPair(trx, run.pair.id),
        () => verb(run),
        (trx) =>
          sql`select 1 from index_attempt where id = ${run.id} for update nowait`.execute(trx),
      );
    });

    it('sends failed documents again, except the one that is being written', async () => {
      const pair = await newPair();
      const [first, second] = [
        await insertDocument(services.db, pair, 'failed'),
        await insertDocument(services.db, pair, 'failed'),
      ];
      const row = await readPair(services.db, pair);
      if (row === null) throw new Error('The pair was not found.');
      await whileLocked(
        services.db,
        (trx) => sql`select 1 from document where id = ${first} for update`.execute(trx),
        () => sendFailedAgain(services, row),
      );
      expect([await statusOf(first), await statusOf(second)]).toEqual(['failed', 'accepted']);
    });
  });

  it('a prune requested twice is opened once', async () => {
    const pair = await newPair();
    const request = { ...inPair(pair), confirm: null, requestId: null };
    const prunes = await queuedBehindLock(services.db, (trx) => lockPair(trx, pair), [
      () => requestPrune(services, request),
      () => requestPrune(services, request),
    ]);
    expect(prunes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('two prunes of a workspace compete for its last place', async () => {
    const { workspaceId } = stage;
    const config = { ...services.config, CONNECTOR_PRUNE_CONCURRENCY: 2 };
    const pairs = [await newPair(), await newPair()] as const;
    for (const pair of pairs)
      await requestPrune(services, { ...inPair(pair), confirm: null, requestId: null });
    const second = await afterWaiting(
      services.db,
      async (trx) => {
        await hasPlace(trx, config, workspaceId);
        await sql`update prune_attempt set status = 'in_progress',
          claimed_until = now() + interval '1 minute' where cc_pair_id = ${pairs[0]}`.execute(trx);
      },
      () => claimPrune({ ...services, config }, pairs[1]),
    );
    expect(second).toBeNull();
  });

  it('a prune is locked after its pair, as always', async () => {
    const pair = await newPair();
    await sql`update cc_pair set status = 'ACTIVE', last_success_at = now()
      where id = ${pair}`.execute(services.db);
    await requestPrune(services, { ...inPair(pair), confirm: null, requestId: null });
    const prune = await claimPrune(services, pair);
    if (prune === null) throw new Error('The prune was requested.');
    await afterWaiting(
      services.db,
      (trx) => lockPair(trx, pair),
      () => endPrune(services.db, prune, 'failed', 'A test has ended it.', new Date()),
      (trx) =>
        sql`select 1 from prune_attempt where id = ${prune.id} for update nowait`.execute(trx),
    );
  });
});
