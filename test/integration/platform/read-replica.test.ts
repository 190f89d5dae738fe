// @module-tag processes
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { replicationBeats } from '#src/operations/replication-beat.ts';
import { openReadReplica } from '#src/platform/read-replica.ts';
import { insertColleague } from '#test/support/colleague-keys.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import {
  openPostgresServer,
  postgresBinaries,
  type PostgresServer,
} from '#test/support/postgres-servers.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { whoReads } from '#test/support/who-reads.ts';

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const DATABASE = 'millrace';
const never = new AbortController().signal;

describe.runIf(postgresBinaries)('a read replica (needs /usr/lib/postgresql)', () => {
  const opened = new AsyncDisposableStack();
  let primary: PostgresServer;
  let standby: PostgresServer;
  let millrace: TestMillrace;
  let workspaceId: string;
  let key: string;

  beforeAll(async () => {
    primary = await openPostgresServer(opened);
    await primary.query(`create database ${DATABASE}`);
    standby = await primary.openStandby();
    millrace = opened.use(await startOn(primary));
    ({ workspaceId, key } = await millrace.createWorkspace());
    await push('heron', 'The heron waits at the weir.');
    await push('egret', 'The egret wades behind the heron.');
    await push('stork', 'The stork leaves before the heron.');
    await millrace.settled(key);
    await replayed();
  });
  afterEach(() => standby.query('select pg_wal_replay_resume()').catch(() => undefined));
  afterAll(() => opened.disposeAsync());

  function startOn(server: PostgresServer): Promise<TestMillrace> {
    return startTestMillrace({
      DATABASE_URL: server.urlOf(DATABASE),
      DATABASE_REPLICA_URL: standby.urlOf(DATABASE),
      DATABASE_REPLICA_MAX_LAG_SECONDS: '600',
      ENCRYPTION_KEY,
    });
  }

  async function push(id: string, text: string, more: object = {}) {
    const document = { id, semantic_identifier: `About the ${id}`, sections: [{ text }] };
    await millrace.call('POST', '/service-api/ingestion', { document, ...more }, { key });
  }

  async function found(query = 'heron', as = key): Promise<string[]> {
    const { body } = await millrace.call('POST', '/search', { query }, { key: as });
    return body.results.map((hit: { document_id: string }) => hit.document_id).toSorted();
  }

  async function suggested(query: string, as = key): Promise<string[]> {
    const { body } = await millrace.call('POST', '/search/suggest', { query }, { key: as });
    return body.suggestions.map(({ text }: { text: string }) => text);
  }

  const reads = () => whoReads(millrace.services.readReplica);

  /** Waits until the standby has everything that the primary has committed. */
  async function replayed(): Promise<void> {
    const [row] = await primary.query('select pg_current_wal_lsn()::text as lsn');
    await until(async () => {
      const [seen] = await standby.query(
        `select pg_last_wal_replay_lsn() >= '${String(row?.['lsn'])}' as done`,
      );
      return seen?.['done'] === true;
    });
  }

  const isUsed = (wanted: boolean) => () => Promise.resolve(reads().used === wanted);

  async function pauseReplay(): Promise<void> {
    await until(isUsed(true));
    await replayed();
    await standby.query('select pg_wal_replay_pause()');
    await until(async () => {
      const [row] = await standby.query('select pg_get_wal_replay_pause_state() as state');
      return row?.['state'] === 'paused';
    });
  }

  it('answers searches and suggestions', async () => {
    await until(isUsed(true));
    const before = reads();
    expect(await found()).toEqual(['egret', 'heron', 'stork']);
    expect(await suggested('stor')).toContain('About the stork');
    expect(reads()).toMatchObject({ replica: before.replica + 2, stale: before.stale });
  });

  it('that does not know of a deletion or a private pair yet shows nothing of it', async () => {
    const { db } = millrace.services;
    const colleague = await insertColleague(db, workspaceId);
    const pair = await insertPair(db, workspaceId, 'Secret', await ownerOf(db, workspaceId));
    await push('bittern', 'The bittern hides from the heron.', { cc_pair_id: pair });
    await millrace.settled(key);
    await pauseReplay();
    const before = reads();
    const reader = colleague.keys.read;
    expect(await found('heron', reader)).toContain('bittern');
    await sql`update cc_pair set access_type = 'PRIVATE' where id = ${pair}`.execute(db);
    await millrace.call('DELETE', '/service-api/ingestion/stork', undefined, { key });
    expect(await found('heron', reader)).toEqual(['egret', 'heron']);
    expect(await suggested('bitt', reader)).toEqual([]);
    expect(await suggested('stor')).toEqual([]);
    const after = reads();
    expect(after.used).toBe(true);
    expect(after.stale).toBeGreaterThan(before.stale);
    await standby.query('select pg_wal_replay_resume()');
    await replayed();
    expect(await found('heron', reader)).toEqual(['egret', 'heron']);
    expect(await found()).toEqual(['bittern', 'egret', 'heron']);
  });

  it('that lags by more than the limit is left out until it has caught up', async () => {
    await pauseReplay();
    const { db, log } = millrace.services;
    await using strict = await openReadReplica({
      primary: db,
      url: standby.urlOf(DATABASE),
      poolSize: 2,
      maxLagMs: 3_000,
      beats: replicationBeats,
      log,
    });
    const isLeftOut = () => Promise.resolve(!whoReads(strict).used);
    const isStandby = () =>
      strict.read(db, never, async (where) => {
        const { rows } = await sql<{ standby: boolean }>`
          select pg_is_in_recovery() as standby`.execute(where);
        return rows[0]?.standby === true;
      });
    await until(isLeftOut);
    expect(await isStandby()).toBe(false);
    await standby.query('select pg_wal_replay_resume()');
    await until(isStandby);
    const { text } = await millrace.call('GET', '/metrics');
    expect(text).toContain('millrace_replica_used 1');
    expect(text).toMatch(/^millrace_replica_lag_seconds \d/m);
  });

  it('whose recovery cancels a statement has it repeated on the primary', async () => {
    await until(isUsed(true));
    const { db, readReplica } = millrace.services;
    const before = reads();
    const standbys: boolean[] = [];
    const answer = readReplica.read(db, never, async (where) =>
      where
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx) => {
          const { rows } = await sql<{ standby: boolean; count: number }>`
            select pg_is_in_recovery() as standby, count(*)::int from points_award`.execute(trx);
          const isStandby = rows[0]?.standby === true;
          standbys.push(isStandby);
          if (isStandby) await sql`select pg_sleep(50)`.execute(trx);
          return rows[0]?.count;
        }),
    );
    await until(() => Promise.resolve(standbys.length === 1));
    // The rows that the snapshot on the standby may still read are removed on the primary.
    await primary.query('create table points_award_copy as select * from points_award', DATABASE);
    await primary.query('drop table points_award_copy', DATABASE);
    await primary.query('delete from points_award', DATABASE);
    await primary.query('vacuum points_award', DATABASE);
    expect(await answer).toBe(0);
    expect(standbys).toEqual([true, false]);
    expect(reads().failed).toBe(before.failed + 1);
  });

  it('that crashes while it answers is left out, and used when it is back', async () => {
    await until(isUsed(true));
    const { db, readReplica } = millrace.services;
    const asked = Promise.withResolvers<void>();
    const answer = readReplica.read(db, never, async (where) => {
      const { rows } = await sql<{ standby: boolean }>`
        select pg_is_in_recovery() as standby`.execute(where);
      if (rows[0]?.standby !== true) return 'the primary';
      asked.resolve();
      await sql`select pg_sleep(50)`.execute(where);
      return 'the replica';
    });
    await asked.promise;
    await standby.crash();
    expect(await answer).toBe('the primary');
    expect(await found('egret')).toEqual(['egret']);
    await until(isUsed(false));
    expect((await millrace.call('GET', '/metrics')).text).toContain('millrace_replica_used 0');
    expect((await millrace.call('GET', '/ready')).status).toBe(200);
    await standby.start();
    await until(isUsed(true));
  });

  it('that was promoted is the primary as soon as DATABASE_URL names it', async () => {
    await replayed();
    await primary.crash();
    await standby.query('select pg_promote()');
    await using promoted = await startOn(standby);
    const call = (path: string, body: object) => promoted.call('POST', path, body, { key });
    const { body } = await call('/search', { query: 'egret' });
    expect(body.results[0].document_id).toBe('egret');
    const document = {
      id: 'coot',
      semantic_identifier: 'Coot',
      sections: [{ text: 'The coot dives as well.' }],
    };
    await call('/service-api/ingestion', { document });
    await promoted.settled(key);
    expect((await call('/search', { query: 'coot' })).body.results[0].document_id).toBe('coot');
    expect(whoReads(promoted.services.readReplica)).toMatchObject({ used: false, replica: 0 });
  });
});
