// @module-tag database
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deletePair } from '#src/connectors/administration/delete-pair.ts';
import { pruneConnector } from '#src/connectors/runs/prune-connector.ts';
import { requestDeletion } from '#src/connectors/administration/request-deletion.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import { deleteMarkedDocuments } from '#src/documents/delete-documents.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import type { CcPairId, DocumentId, PruneAttemptId } from '#src/ids.ts';
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

describe('pruning', () => {
  const prune = async (confirm: number | null = null) => {
    await requestPrune(services, {
      workspaceId: test.workspaceId,
      ccPairId: pair,
      // Prune ids are numbers in the rows that the test reads.
      confirm: confirm as PruneAttemptId | null,
      requestId: null,
    });
    await pruneConnector(services, pair, never);
    const { rows } = await sql<{
      id: number;
      status: string;
      known: number;
      listed: number;
      gone: number;
      removed: number;
      error: string | null;
    }>`select * from prune_attempt where cc_pair_id = ${pair} order by id desc limit 1`.execute(
      services.db,
    );
    return rows[0];
  };

  beforeEach(async () => {
    await syncConnector(services, pair, never);
  });

  it('removes what is gone at the source and keeps pushed documents', async () => {
    const item = ingestionItemSchema.parse({
      document: { id: 'pushed', semantic_identifier: 'Pushed', sections: [{ text: 'By hand.' }] },
      cc_pair_id: pair,
    });
    await services.documentAcceptor.accept(
      toIncomingDocument(item, {
        workspaceId: test.workspaceId,
        writer: null,
        requestId: null,
        maxBytes: 1_000_000,
      }),
    );
    jira.remove('issue 2');
    expect(await prune()).toMatchObject({
      status: 'success',
      known: 8,
      listed: 7,
      gone: 1,
      removed: 1,
    });
    expect(await documentsOf(test, pair)).toEqual([...jira.ids(), 'pushed'].toSorted());
  });

  it('keeps a document that another pair also has', async () => {
    const other = await linkJira(test, jira);
    await syncConnector(services, other, never);
    const gone = jira.ids()[1];
    jira.remove('issue 2');
    await prune();
    expect(await documentsOf(test, pair)).not.toContain(gone);
    expect(await documentsOf(test, other)).toContain(gone);
  });

  it('removes nothing when the listing fails', async () => {
    jira.remove('issue 2');
    jira.server.fault = () => ({ kind: 'status', status: 403, body: { errorMessages: ['No.'] } });
    const failed = await prune();
    expect(failed).toMatchObject({ status: 'failed', removed: 0 });
    expect(failed?.error).toContain('Nothing was removed');
    expect(await documentsOf(test, pair)).toHaveLength(8);
  });

  it('stops when more than half would be removed, until somebody confirms', async () => {
    for (let n = 1; n <= 5; n += 1) jira.remove(`issue ${n}`);
    const stopped = await prune();
    expect(stopped).toMatchObject({ status: 'needs_confirmation', known: 8, gone: 5, removed: 0 });
    expect(await documentsOf(test, pair)).toHaveLength(8);
    expect(await prune(stopped?.id)).toMatchObject({ status: 'success', removed: 5 });
    expect(await documentsOf(test, pair)).toEqual(jira.ids().toSorted());
  });
});

describe('deleting a pair', () => {
  it('removes the documents that only this pair has, then the pair and its connector', async () => {
    await syncConnector(services, pair, never);
    const other = await linkJira(test, jira);
    jira.remove('issue 1');
    await syncConnector(services, other, never);
    const both = [pair, other];
    const rowsBefore = await sql<{ connector_id: number; credential_id: number }>`
      select connector_id, credential_id from cc_pair where id = any(${both})`.execute(services.db);
    const connectors = rowsBefore.rows.map((row) => row.connector_id);
    const credentials = rowsBefore.rows.map((row) => row.credential_id);
    await requestDeletion(services, {
      workspaceId: test.workspaceId,
      ccPairId: pair,
      requestId: null,
    });
    await deletePair(services, pair, never);
    const { rows } = await sql<{ status: string; n: number; ids: DocumentId[] }>`
      select status, count(*)::int as n, array_agg(id) as ids from document
      where external_id like ${`${jira.server.url}%`} group by status order by 1`.execute(
      services.db,
    );
    expect(rows).toMatchObject([
      { status: 'accepted', n: 7 },
      { status: 'deleting', n: 1 },
    ]);
    await deleteMarkedDocuments(services, rows[1]?.ids ?? []);
    const left = await sql<{ pairs: number; connectors: number; credentials: number }>`
      select (select count(*)::int from cc_pair where id = any(${both})) as pairs,
        (select count(*)::int from connector where id = any(${connectors})) as connectors,
        (select count(*)::int from credential where id = any(${credentials})) as credentials`.execute(
      services.db,
    );
    expect(left.rows).toEqual([{ pairs: 1, connectors: 1, credentials: 2 }]);
    expect(await documentsOf(test, other)).toHaveLength(7);
  });
});
