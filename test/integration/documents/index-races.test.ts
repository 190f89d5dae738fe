// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { documentIndex } from '#queues/document-index.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { takeBackClaims } from '#src/documents/claim-documents.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { markDeleting } from '#src/documents/store.ts';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { sendUnfinished } from '#src/documents/reconcile-documents.ts';
import { reconcile } from '#src/reconcile.ts';
import type { Services } from '#src/services.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';
import { startWorkers } from '#workers/index.ts';

// No workers: the tests take the steps of the race themselves.
let services: Services;
let workspaceId: WorkspaceId;
const opened = new AsyncDisposableStack();
const never = new AbortController().signal;

beforeAll(async () => {
  const environment = opened.use(await openTestEnvironment());
  await migrateTestDatabase(environment.settings);
  services = opened.use(await openServices(parseConfig(environment.settings)));
  ({ workspaceId } = await ensureBootstrap(services.db, { bootstrapKey: environment.adminKey }));
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  await sql`update document set status = 'deleting'`.execute(services.db);
  await indexDocuments(services, await idsOf(), never);
  expect(await idsOf()).toEqual([]);
});

/** Ids of all documents. */
async function idsOf(): Promise<DocumentId[]> {
  const { rows } = await sql<{ id: DocumentId }>`select id from document order by id`.execute(
    services.db,
  );
  return rows.map((row) => row.id);
}

async function accept(id: string, text: string): Promise<void> {
  const item = ingestionItemSchema.parse({
    document: { id, semantic_identifier: id, sections: [{ text }], metadata: {} },
  });
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  await services.documentAcceptor.accept(toIncomingDocument(item, context));
}

/** A user without pairs of their own; everybody may use the default one. */
function somebody() {
  return { workspaceId, userId: randomUUID() as UserId, role: 'admin' } as const;
}

/** The indexed text of the document. */
async function indexed(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`select text from chunk order by ordinal`.execute(
    services.db,
  );
  return rows.map((row) => row.text);
}

/** The services, with something that happens once between the claim and the write. */
function meanwhile(happens: () => Promise<unknown>): Services {
  let pending: (() => Promise<unknown>) | null = happens;
  return {
    ...services,
    embedder: {
      ...services.embedder,
      // Otherwise the threads make the vectors along with the chunks.
      isBuiltin: false,
      async embedDocuments(texts, signal) {
        const now = pending;
        pending = null;
        await now?.();
        return services.embedder.embedDocuments(texts, signal);
      },
    },
  };
}

describe('two workers', () => {
  it('produce one result when they index the same documents concurrently', async () => {
    for (let n = 0; n < 60; n += 1) await accept(`shared-${n}`, `Shared text ${n}. `.repeat(400));
    const ids = await idsOf();
    await Promise.all([1, 2, 3].map(() => indexDocuments(services, ids, never)));
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('produce one result when the same documents are in several jobs', async () => {
    for (let n = 0; n < 30; n += 1) await accept(`twice-${n}`, `Twice enqueued ${n}.`);
    const documentIds = await idsOf();
    await services.producer.enqueueMany(documentIndex, [
      { documentIds },
      { documentIds },
      { documentIds: documentIds.toReversed() },
    ]);
    const workers = await startWorkers(services, ['document-index']);
    await until(async () => (await faultsOf(services.db))['unfinished']?.length === 0);
    await workers.close(5_000);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('leave the write to the one that took over an expired lease', async () => {
    await accept('taken-over', 'A text that two workers claim.');
    const ids = await idsOf();
    let after: unknown = null;
    const slow = meanwhile(async () => {
      await sql`update document set claimed_until = now() - interval '1 second'`.execute(
        services.db,
      );
      await indexDocuments(services, ids, never);
      after = await sql`select * from chunk`.execute(services.db);
    });
    await indexDocuments(slow, ids, never);
    expect(await sql`select * from chunk`.execute(services.db)).toEqual(after);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });
});

describe('between the claim and the write', () => {
  it('an edit wins, and the older write leaves nothing', async () => {
    await accept('edited', 'The old text about walnuts.');
    const seen: string[][] = [];
    const racing = meanwhile(async () => {
      await accept('edited', 'The new text about chestnuts.');
      // The second embedding is for the new text, after the old write has had its turn.
      racing.embedder.embedDocuments = async (texts, signal) => {
        seen.push(await indexed());
        return services.embedder.embedDocuments(texts, signal);
      };
    });
    await indexDocuments(racing, await idsOf(), never);
    expect(seen).toEqual([[]]);
    expect(await indexed()).toEqual(['The new text about chestnuts.']);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('an edit of an indexed document keeps the old chunks until the new ones are ready', async () => {
    await accept('again', 'First edition.');
    await indexDocuments(services, await idsOf(), never);
    await accept('again', 'Second edition.');
    await indexDocuments(
      meanwhile(() => accept('again', 'Third edition.')),
      await idsOf(),
      never,
    );
    expect(await indexed()).toEqual(['Third edition.']);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('a delete wins, and the document stays deleted', async () => {
    await accept('doomed', 'A text that nobody shall find.');
    const ids = await idsOf();
    await indexDocuments(
      meanwhile(() => markDeleting(services.db, somebody(), 'doomed')),
      ids,
      never,
    );
    expect(await indexed()).toEqual([]);
    await indexDocuments(services, ids, never);
    expect(await idsOf()).toEqual([]);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('a delete followed by a new post leaves the new document intact', async () => {
    await accept('reborn', 'The first life.');
    await indexDocuments(services, await idsOf(), never);
    await accept('reborn', 'The second life.');
    const racing = meanwhile(async () => {
      await markDeleting(services.db, somebody(), 'reborn');
      await accept('reborn', 'The third life.');
    });
    await indexDocuments(racing, await idsOf(), never);
    expect(await indexed()).toEqual(['The third life.']);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });
});

describe('documents whose workers died', () => {
  const die = (attempts: number, id: DocumentId | undefined) =>
    sql`update document set status = 'indexing', attempts = ${attempts},
      claimed_until = now() - interval '1 second' where id = ${id}`.execute(services.db);

  it('are claimed one by one after the second death, after all others', async () => {
    for (const id of ['fresh-1', 'fresh-2', 'suspect-1', 'suspect-2'])
      await accept(id, `About ${id}.`);
    const ids = await idsOf();
    await die(2, ids[2]);
    await die(3, ids[3]);
    await takeBackClaims(services.db, 'lapsed');
    const claimed: number[][] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await using claim = await services.indexTurns.next();
      claimed.push(claim.documents.map((document) => document.id));
    }
    expect(claimed.map((claim) => claim.toSorted((a, b) => a - b))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 3),
      ids.slice(3),
    ]);
  });

  it('fail with a reason when every attempt dies, while their neighbours do not', async () => {
    for (const id of ['killer', 'unlucky', 'neighbour']) await accept(id, `About ${id}.`);
    const ids = await idsOf();
    await die(8, ids[0]);
    await die(5, ids[1]);
    await indexDocuments(services, ids, never);
    const { rows } = await sql`select external_id, status, error like '%died in each of 8%' as told
      from document order by id`.execute(services.db);
    expect(rows).toEqual([
      { external_id: 'killer', status: 'failed', told: true },
      { external_id: 'unlucky', status: 'indexed', told: null },
      { external_id: 'neighbour', status: 'indexed', told: null },
    ]);
  });
});

describe('rows that lost their job', () => {
  it('are all sent again by one run, however recent they are', async () => {
    for (const id of ['lost-1', 'lost-2', 'lost-3']) await accept(id, `About ${id}.`);
    expect(await sendUnfinished(services, never, 0)).toBe(3);
  });

  it('do not wait behind the backlog when their worker died', async () => {
    for (const id of ['held', 'waiting']) await accept(id, `About ${id}.`);
    const [held] = await idsOf();
    await sql`update document set queued_at = now() - interval '25 seconds'`.execute(services.db);
    await sql`update document set status = 'indexing', claimed_until = now() - interval '1 second'
      where id = ${held}`.execute(services.db);
    // Both jobs stay queued because no worker runs: that is the backlog.
    expect(await services.producer.oldestWaitingAgeMs(documentIndex)).not.toBeNull();
    expect(await reconcile(services, never)).toBe(1);
  });
});
