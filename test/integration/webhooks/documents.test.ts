import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { failDocument } from '#src/documents/claim-documents.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { emittedEvents, insertEndpoint } from '#test/support/emitted-events.ts';
import { insertPair } from '#test/support/seed-workspace.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

// Services without workers, so emitted events stay in the rows.
const never = new AbortController().signal;
const BOTH = ['document.indexed', 'document.failed'];

let test: TestServices;
let services: Services;
let workspaceId: WorkspaceId;
let userId: UserId;

beforeAll(async () => {
  test = await openTestServices();
  services = test.services;
});
afterAll(() => test[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ workspaceId, userId } = await createWorkspace(services.db, {
    name: 'Told',
    planTier: 'Free',
  }));
});

async function accept(
  id: string,
  { text = `About ${id}.`, pair = null as number | null, into = workspaceId } = {},
): Promise<void> {
  const item = ingestionItemSchema.parse({
    document: { id, semantic_identifier: `Title of ${id}`, sections: [{ text }], source: 'file' },
    cc_pair_id: pair,
  });
  const context = { workspaceId: into, writer: null, requestId: null, maxBytes: 1_000_000 };
  await services.documentAcceptor.accept(toIncomingDocument(item, context));
}

/** Across all workspaces, because a job may contain documents of several. */
async function waiting(): Promise<DocumentId[]> {
  const { db } = services;
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where status in ('accepted', 'indexing') order by id`.execute(db);
  return rows.map(({ id }) => id);
}

async function index(with_: Services = services): Promise<void> {
  await indexDocuments(with_, await waiting(), never);
}

const told = (of: WorkspaceId = workspaceId) => emittedEvents(services.db, of);
const listen = (eventTypes: string[] | null = BOTH, to: WorkspaceId = workspaceId) =>
  insertEndpoint(services, { workspaceId: to, eventTypes });

async function statuses(): Promise<Record<string, string>> {
  const { db } = services;
  const { rows } = await sql<{ external_id: string; status: string }>`
    select external_id, status from document where workspace_id = ${workspaceId}`.execute(db);
  return Object.fromEntries(rows.map(({ external_id, status }) => [external_id, status]));
}

/** Services with a step before each embedding, that is, between the claim and the write. */
function beforeEmbedding(step: (texts: readonly string[]) => Promise<unknown>): Services {
  const { embedder } = services;
  return {
    ...services,
    embedder: {
      ...embedder,
      // Otherwise the threads make the vectors along with the chunks.
      isBuiltin: false,
      async embedDocuments(texts, signal) {
        await step(texts);
        return embedder.embedDocuments(texts, signal);
      },
    },
  };
}

/** Makes texts with this word impossible to embed. */
function poisonedBy(word: string): Services {
  return beforeEmbedding(async (texts) => {
    if (texts.some((text) => text.includes(word))) throw new GiveUp(`It says ${word}.`);
  });
}

describe('documents without a subscribed endpoint', () => {
  it('leave no event, whether indexed or failed', async () => {
    await accept('quiet');
    await accept('broken', { text: 'A walrus.' });
    await index(poisonedBy('walrus'));
    expect(await statuses()).toEqual({ quiet: 'indexed', broken: 'failed' });
    expect(await told()).toEqual([]);
  });

  it('are not reported to an endpoint with the default types, nor to a deleted one', async () => {
    await listen(null);
    await listen(['connector.sync.failed']);
    const deleted = await listen();
    const { db } = services;
    await sql`update webhook_endpoint set deleted_at = now() where id = ${deleted}`.execute(db);
    await accept('quiet');
    await index();
    expect(await told()).toEqual([]);
  });
});

describe('indexed documents', () => {
  it('are reported together when indexed together, to each endpoint that named the type', async () => {
    const one = await listen();
    const two = await listen(['document.indexed']);
    await listen(['document.failed']);
    for (const id of ['a', 'b', 'c']) await accept(id);
    await index();
    const [event, ...others] = await told();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'document.indexed', endpoints: [one, two].toSorted() });
    expect(event?.data).toEqual({
      documents: ['a', 'b', 'c'].map((id) => ({
        document_id: id,
        semantic_identifier: `Title of ${id}`,
        source: 'file',
        chunk_count: 1,
      })),
      count: 3,
    });
    const { rows } = await sql<{ at: Date }>`select distinct indexed_at as at from document
      where workspace_id = ${workspaceId}`.execute(services.db);
    expect(rows.map(({ at }) => at.toISOString())).toEqual([event?.timestamp]);
  });

  it('wake a worker once the rows are committed', async () => {
    const waitingJobs = async () => (await services.producer.counts(webhookDeliver))['prioritized'];
    const before = (await waitingJobs()) ?? 0;
    await listen();
    await accept('waking');
    await index();
    expect(await waitingJobs()).toBe(before + 1);
  });

  it('stay indexed when no job can be sent, and the event waits in its row', async () => {
    const endpoint = await listen();
    await accept('unsent');
    const enqueueMany = () => Promise.reject(new Error('The queue is unavailable.'));
    const producer = { ...services.producer, enqueueMany };
    await index({ ...services, producer });
    expect(await statuses()).toEqual({ unsent: 'indexed' });
    expect(await told()).toMatchObject([{ endpoints: [endpoint] }]);
  });

  it('are reported only to their own workspace when one batch holds several', async () => {
    const other = await createWorkspace(services.db, { name: 'Other', planTier: 'Free' });
    const third = await createWorkspace(services.db, { name: 'Deaf', planTier: 'Free' });
    const mine = await listen();
    const theirs = await listen(BOTH, other.workspaceId);
    await accept('mine');
    await accept('theirs', { into: other.workspaceId });
    await accept('unheard', { into: third.workspaceId });
    await index();
    const ids = async (of: WorkspaceId) =>
      (await told(of)).map(({ data, endpoints }) => [data.documents[0].document_id, endpoints]);
    expect(await ids(workspaceId)).toEqual([['mine', [mine]]]);
    expect(await ids(other.workspaceId)).toEqual([['theirs', [theirs]]]);
    expect(await ids(third.workspaceId)).toEqual([]);
  });

  it('are reported to a disabled endpoint once it is back, because the event is kept for it', async () => {
    const { db } = services;
    const endpoint = await listen();
    await sql`update webhook_endpoint set enabled = false where id = ${endpoint}`.execute(db);
    await accept('missed');
    await index();
    expect(await told()).toMatchObject([{ data: { count: 1 }, endpoints: [] }]);
  });

  it('edited between the claim and the write are reported once, in their final form', async () => {
    await listen();
    await accept('edited', { text: 'The old text.' });
    let embeddings = 0;
    const racing = beforeEmbedding(async () => {
      embeddings += 1;
      if (embeddings === 1) await accept('edited', { text: 'The new text. '.repeat(2_000) });
    });
    await index(racing);
    const events = await told();
    expect(events).toHaveLength(1);
    const { rows } = await sql<{ chunk_count: number }>`select chunk_count from document
      where workspace_id = ${workspaceId}`.execute(services.db);
    expect(rows[0]?.chunk_count).toBeGreaterThan(1);
    expect(events[0]?.data.documents).toMatchObject([{ chunk_count: rows[0]?.chunk_count }]);
  });

  it('whose event cannot be written are not indexed either', async () => {
    await listen();
    await accept('together');
    await sql`create function refuse_delivery() returns trigger language plpgsql
      as 'begin raise exception ''The disk is full.''; end'`.execute(services.db);
    await sql`create trigger refuse before insert on webhook_delivery
      execute function refuse_delivery()`.execute(services.db);
    try {
      await index();
      expect(await statuses()).toEqual({ together: 'accepted' });
    } finally {
      await sql`drop function refuse_delivery cascade`.execute(services.db);
    }
    expect(await told()).toEqual([]);
    await sql`update document set next_attempt_at = null`.execute(services.db);
    await index();
    expect(await told()).toMatchObject([{ data: { count: 1 } }]);
  });

  it('may have names of any length, of which the event carries the beginning', async () => {
    await listen();
    await accept('long');
    await sql`update document set semantic_identifier = repeat('🦭', 100000)
      where workspace_id = ${workspaceId}`.execute(services.db);
    await index();
    const [event] = await told();
    expect(event?.data.documents[0].semantic_identifier).toBe('🦭'.repeat(500));
  });
});

describe('failed documents', () => {
  it('are reported one by one with the reason, their neighbours as indexed', async () => {
    const endpoint = await listen();
    await accept('good');
    await accept('bad', { text: 'A walrus.' });
    await index(poisonedBy('walrus'));
    const events = await told();
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'document.failed',
      'document.indexed',
    ]);
    const failed = events.find(({ type }) => type === 'document.failed');
    expect(failed).toMatchObject({
      endpoints: [endpoint],
      data: {
        documents: [
          {
            document_id: 'bad',
            semantic_identifier: 'Title of bad',
            source: 'file',
            error: 'It says walrus.',
          },
        ],
        count: 1,
      },
    });
  });

  it('of a worker that has lost its claim have not failed and are not reported', async () => {
    await listen();
    await accept('taken-over');
    const [id] = await waiting();
    if (id === undefined) throw new Error('The document does not exist.');
    const lost = '00000000-0000-4000-8000-000000000000';
    expect(await failDocument(services.db, lost, id, 'Not mine.')).toEqual([]);
    expect(await statuses()).toEqual({ 'taken-over': 'accepted' });
    expect(await told()).toEqual([]);
  });
});

describe('documents of a private pair', () => {
  async function insertPrivatePair(): Promise<number> {
    const pair = await insertPair(services.db, workspaceId, 'Secret', userId);
    await sql`update cc_pair set access_type = 'PRIVATE' where id = ${pair}`.execute(services.db);
    return pair;
  }

  it('are left out, unless a public pair has them too', async () => {
    await listen();
    const secret = await insertPrivatePair();
    const open = await insertPair(services.db, workspaceId, 'Open', userId);
    await accept('secret', { pair: secret });
    await accept('open', { pair: open });
    await accept('both', { pair: secret });
    await accept('both', { pair: open });
    await index();
    const [event, ...others] = await told();
    expect(others).toEqual([]);
    expect(event?.data.count).toBe(2);
    expect(JSON.stringify(event)).not.toContain('secret');
  });

  it('leave no event when there is nothing else to report, nor when they fail', async () => {
    await listen();
    const secret = await insertPrivatePair();
    await accept('secret', { pair: secret });
    await accept('secret and broken', { pair: secret, text: 'A walrus.' });
    await index(poisonedBy('walrus'));
    expect(await statuses()).toEqual({ secret: 'indexed', 'secret and broken': 'failed' });
    expect(await told()).toEqual([]);
  });
});
