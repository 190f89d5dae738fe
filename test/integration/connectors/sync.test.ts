// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimRun } from '#src/connectors/runs/claim-run.ts';
import { cancelRun, requestRun } from '#src/connectors/runs/request-run.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { CcPairId } from '#src/ids.ts';
import { reconcileConnectors } from '#src/connectors/runs/reconcile-connectors.ts';
import type { Services } from '#src/services.ts';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { documentsOf, linkJira } from '#test/support/linked-jira.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const never = new AbortController().signal;

let opened: AsyncDisposableStack;
let test: TestServices;
let services: Services;
let jira: TrackerFixture;
let pair: CcPairId;

beforeAll(async () => {
  test = await openTestServices();
  services = test.services;
});
afterAll(() => test[Symbol.asyncDispose]());

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  jira = opened.use(await startFixture());
  pair = await linkJira(test, jira);
});
afterEach(() => opened.disposeAsync());

interface AttemptRow {
  id: number;
  status: string;
  fetched: number;
  accepted: number;
  created: number;
  unchanged: number;
  skipped: number;
  failed: number;
  removed: number;
  pages: number;
  error: string | null;
  waiting_for: string | null;
  next_attempt_at: Date | null;
  outages: number;
}

async function attempts(of: CcPairId = pair): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select * from index_attempt where cc_pair_id = ${of} order by id`.execute(services.db);
  for (const row of rows) {
    expect(row.fetched).toBe(row.accepted + row.unchanged + row.skipped + row.failed);
  }
  return rows;
}

async function pairRow(): Promise<{
  status: string;
  status_reason: string | null;
  next_run_at: Date | null;
  synced_until: Date | null;
  failed_runs: number;
}> {
  const { rows } = await sql<Awaited<ReturnType<typeof pairRow>>>`
    select * from cc_pair where id = ${pair}`.execute(services.db);
  const [row] = rows;
  if (!row) throw new Error('The pair is gone.');
  return row;
}

function askForRun(fromBeginning: boolean): Promise<unknown> {
  const which = { workspaceId: test.workspaceId, ccPairId: pair, requestId: null };
  return requestRun(services, { ...which, fromBeginning });
}

async function nextRun(with_: Services = services): Promise<void> {
  await askForRun(false);
  await syncConnector(with_, pair, never);
}

describe('a run', () => {
  it('fetches everything once, saves page by page, and schedules the next run', async () => {
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([
      {
        status: 'success',
        fetched: 8,
        accepted: 8,
        created: 8,
        unchanged: 0,
        failed: 0,
        error: null,
      },
    ]);
    expect(await documentsOf(test, pair)).toEqual(jira.ids().toSorted());
    const { status, next_run_at, synced_until } = await pairRow();
    expect(status).toBe('ACTIVE');
    expect(next_run_at?.getTime()).toBeGreaterThan(services.clock().getTime());
    expect(synced_until).not.toBeNull();
  });

  it('does nothing when none is due, and becomes due again after its period', async () => {
    await syncConnector(services, pair, never);
    await syncConnector(services, pair, never);
    expect(await attempts()).toHaveLength(1);
    test.advance(60_000);
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([{ status: 'success' }, { status: 'success' }]);
  });

  it('fetches changes and counts the rest as unchanged', async () => {
    await syncConnector(services, pair, never);
    const edited = jira.put('issue 3', 'A new text.', services.clock());
    await nextRun();
    const [, second] = await attempts();
    expect(second).toMatchObject({ status: 'success', accepted: 1, created: 0 });
    expect(await documentsOf(test, pair)).toContain(edited);
  });

  it('is taken by only one of two workers', async () => {
    const claims = await Promise.all([claimRun(services, pair), claimRun(services, pair)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('resumes from its checkpoint after losing its worker, and repeats at most one page', async () => {
    const stop = new AbortController();
    let saves = 0;
    const dying: Services = {
      ...services,
      clock: () => {
        // Called before each page is saved; the process dies between accepting and saving the third page.
        saves += 1;
        return services.clock();
      },
      documentAcceptor: {
        ...services.documentAcceptor,
        async accept(document) {
          const accepted = await services.documentAcceptor.accept(document);
          if (saves >= 3) stop.abort(new Error('killed'));
          return accepted;
        },
      },
    };
    await expect(syncConnector(dying, pair, stop.signal)).rejects.toThrow('killed');
    const searched = () =>
      jira.server.requests.filter(({ url }) => url.pathname.endsWith('/search/jql')).length;
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([
      { status: 'success', fetched: 8, accepted: 8, created: 8, unchanged: 0 },
    ]);
    // Three pages of three documents, plus the page in progress, which is requested again.
    expect(searched()).toBeLessThanOrEqual(4);
    expect(await documentsOf(test, pair)).toEqual(jira.ids().toSorted());
  });

  it('stops within a page when it is canceled', async () => {
    const canceling: Services = {
      ...services,
      documentAcceptor: {
        ...services.documentAcceptor,
        async accept(document) {
          await cancelRun(services.db, pair, 'Canceled by the test.');
          return services.documentAcceptor.accept(document);
        },
      },
    };
    await syncConnector(canceling, pair, never);
    expect(await attempts()).toMatchObject([{ status: 'canceled', fetched: 0 }]);
  });

  it('fetches everything again when told to start from the beginning', async () => {
    await syncConnector(services, pair, never);
    await askForRun(true);
    await syncConnector(services, pair, never);
    const [, again] = await attempts();
    expect(again).toMatchObject({ status: 'success', fetched: 8, unchanged: 8, accepted: 0 });
  });

  it('from the beginning that is canceled before its first page is followed by another from the beginning', async () => {
    await syncConnector(services, pair, never);
    await askForRun(true);
    await cancelRun(services.db, pair, 'Canceled by the test.');
    await nextRun();
    await nextRun();
    expect(await attempts()).toMatchObject([
      { status: 'success', fetched: 8 },
      { status: 'canceled', from_beginning: true, fetched: 0 },
      { status: 'success', from_beginning: true, poll_range_start: null, fetched: 8 },
      { status: 'success', from_beginning: false },
    ]);
  });

  it('does not start while the pair is paused', async () => {
    await sql`update cc_pair set status = 'PAUSED' where id = ${pair}`.execute(services.db);
    await syncConnector(services, pair, never);
    expect(await attempts()).toEqual([]);
    await expect(askForRun(false)).rejects.toThrow('PAUSED');
  });
});

describe('a misbehaving source', () => {
  it('that refuses the credential pauses the pair with the reason', async () => {
    jira.expireCredential?.();
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([{ status: 'failed', fetched: 0 }]);
    const row = await pairRow();
    expect(row).toMatchObject({ status: 'PAUSED', next_run_at: null, failed_runs: 1 });
    expect(row.status_reason).toContain('does not accept the credential');
  });

  it('that is unavailable makes the run wait, and the run continues when it is back', async () => {
    const isSearch = (path: string) => path.endsWith('/search/jql');
    let searches = 0;
    jira.server.fault = ({ url }) =>
      isSearch(url.pathname) && (searches += 1) > 1 ? { kind: 'status', status: 502 } : null;
    await syncConnector(services, pair, never);
    const [waiting] = await attempts();
    expect(waiting).toMatchObject({ status: 'in_progress', fetched: 3, outages: 1 });
    expect(waiting?.waiting_for).toContain('502');
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([{ fetched: 3, outages: 1 }]);

    jira.server.fault = () => null;
    test.advance(60_000);
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([{ status: 'success', fetched: 8, waiting_for: null }]);
  });

  it('that stays unavailable for hours fails the run, and the next run resumes from the checkpoint', async () => {
    jira.server.fault = ({ url }) =>
      url.pathname.endsWith('/search/jql') ? { kind: 'status', status: 503 } : null;
    for (let n = 0; n < 20 && (await attempts()).at(-1)?.status !== 'failed'; n += 1) {
      await syncConnector(services, pair, never);
      test.advance(20 * 60_000);
    }
    expect(await attempts()).toMatchObject([{ status: 'failed' }]);
    jira.server.fault = () => null;
    await nextRun();
    expect((await attempts()).at(-1)).toMatchObject({ status: 'success', fetched: 8 });
  });

  it('that fails one document fails only that one, and the next run fixes it', async () => {
    const issue = jira.store.get('issue 2');
    const text = issue.fields['description'];
    const broken = jira.ids()[1];
    issue.fields['description'] = { type: 'not a document of Jira' };
    await syncConnector(services, pair, never);
    expect(await attempts()).toMatchObject([{ fetched: 8, accepted: 7, failed: 1 }]);
    expect(await documentsOf(test, pair)).toEqual(
      jira
        .ids()
        .filter((id) => id !== broken)
        .toSorted(),
    );

    issue.fields['description'] = text;
    await nextRun();
    expect((await attempts()).at(-1)).toMatchObject({ status: 'success', accepted: 1, failed: 0 });
    expect(await documentsOf(test, pair)).toEqual(jira.ids().toSorted());
    const { rows } = await sql`
      select document_id, is_resolved from index_attempt_error where cc_pair_id = ${pair}`.execute(
      services.db,
    );
    expect(rows).toEqual([{ document_id: broken, is_resolved: true }]);
  });
});

describe('documents that cannot be indexed', () => {
  it('move from accepted to failed, and back when the next run fixes them', async () => {
    await syncConnector(services, pair, never);
    const [victim] = jira.ids();
    await sql`update document set status = 'failed', error = 'The embedder broke on it.'
      where external_id = ${victim}`.execute(services.db);
    await reconcileConnectors(services, never);
    await reconcileConnectors(services, never);
    expect(await attempts()).toMatchObject([
      { status: 'completed_with_errors', accepted: 7, failed: 1 },
    ]);
    await nextRun();
    await sql`update document set status = 'indexed' where status = 'accepted'`.execute(
      services.db,
    );
    await reconcileConnectors(services, never);
    const { rows } = await sql<{ stage: string; is_resolved: boolean }>`
      select stage, is_resolved from index_attempt_error where cc_pair_id = ${pair}`.execute(
      services.db,
    );
    expect(rows).toEqual([{ stage: 'index', is_resolved: true }]);
  });
});
