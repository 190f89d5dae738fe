// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { pruneConnector } from '#src/connectors/runs/prune-connector.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import { dropDocuments } from '#src/documents/drop-documents.ts';
import type { CcPairId, DocumentId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { startFixture } from '#test/fixtures/connectors/tracker.ts';
import { linkJira } from '#test/support/linked-jira.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const never = new AbortController().signal;

let test: TestServices;
let services: Services;
let pair: CcPairId;
beforeAll(async () => {
  test = await openTestServices();
  services = test.services;
});
afterAll(() => test[Symbol.asyncDispose]());

beforeEach(async () => {
  const jira = await startFixture();
  onTestFinished(() => jira[Symbol.asyncDispose]());
  pair = await linkJira(test, jira);
  await syncConnector(services, pair, never);
});

/** Stores a document that the prune's listing misses because it appeared while the listing was read. */
async function storeUnlisted(seenAt: Date): Promise<DocumentId> {
  const { rows } = await sql<{ id: DocumentId }>`
    with one as (select * from document where id in (
      select document_id from document_cc_pair where cc_pair_id = ${pair}) limit 1),
    made as (
      insert into document (workspace_id, external_id, semantic_identifier, title, source, sections,
        metadata, shown_metadata, tags, doc_updated_at, primary_owners, secondary_owners,
        content_hash, content_bytes, status)
      select workspace_id, 'unlisted ' || ${pair}::text, semantic_identifier, title, source, sections,
        metadata, shown_metadata, tags, doc_updated_at, primary_owners, secondary_owners,
        content_hash, content_bytes, status from one returning id)
    insert into document_cc_pair (document_id, cc_pair_id, seen_at)
    select id, ${pair}, ${seenAt} from made returning document_id as id`.execute(services.db);
  const [row] = rows;
  if (row === undefined) throw new Error('The pair has no document to copy.');
  return row.id;
}

async function prune(): Promise<Record<string, unknown> | undefined> {
  await requestPrune(services, {
    workspaceId: test.workspaceId,
    ccPairId: pair,
    confirm: null,
    requestId: null,
  });
  await pruneConnector(services, pair, never);
  const { rows } = await sql<Record<string, unknown>>`
    select status, gone, removed from prune_attempt where cc_pair_id = ${pair}
    order by id desc limit 1`.execute(services.db);
  return rows[0];
}

const later = (ms: number): Date => new Date(services.clock().getTime() + ms);

describe('a prune', () => {
  it('neither counts nor removes documents that a run stored after the listing began', async () => {
    const id = await storeUnlisted(later(60_000));
    expect(await prune()).toEqual({ status: 'success', gone: 0, removed: 0 });
    const kept =
      await sql`select 1 from document where id = ${id} and status <> 'deleting'`.execute(
        services.db,
      );
    expect(kept.rows).toHaveLength(1);
  });

  it('removes documents that were stored before and are not listed', async () => {
    await storeUnlisted(later(-60_000));
    expect(await prune()).toEqual({ status: 'success', gone: 1, removed: 1 });
  });

  it('keeps documents that a run stored between the decision and the removal', async () => {
    const id = await storeUnlisted(later(60_000));
    const drop = (seenBefore: Date) =>
      services.db.transaction().execute((trx) => dropDocuments(trx, pair, [id], seenBefore));
    expect(await drop(later(0))).toEqual({ marked: [], left: 0 });
    expect(await drop(later(120_000))).toEqual({ marked: [id], left: 1 });
  });

  it('keeps documents that another run has seen again, because each run records what it saw', async () => {
    const { db } = services;
    await sql`update document_cc_pair set seen_at = ${later(-3_600_000)} where cc_pair_id = ${pair}`.execute(
      db,
    );
    await sql`update cc_pair set next_run_at = ${later(0)}, synced_until = null where id = ${pair}`.execute(
      db,
    );
    await syncConnector(services, pair, never);
    const { rows } = await sql`select 1 from document_cc_pair
      where cc_pair_id = ${pair} and seen_at < ${later(-1_800_000)}`.execute(db);
    expect(rows).toEqual([]);
  });
});
