// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { documentIndex, MAX_DOCUMENTS_PER_JOB } from '#queues/document-index.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { createIndexTurns } from '#src/documents/index-turns.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';
import { type RunningWorkers, startWorkers } from '#workers/index.ts';

/** About forty of these fill a slice. */
const TEXT = 'Words of an ordinary document. '.repeat(160);
const LARGE_TEXT = 'Words of a large document. '.repeat(12_000);
const BACKLOG = 200;
const never = new AbortController().signal;

let stage: TestServices;
let services: Services;
let large: WorkspaceId;
let small: WorkspaceId;

beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  const { db } = stage.services;
  await sql`delete from chunk_vector`.execute(db);
  await sql`delete from chunk_planes`.execute(db);
  await sql`delete from chunk_terms`.execute(db);
  await sql`delete from document`.execute(db);
  for (const queue of stage.services.producer.openQueues()) await queue.obliterate({ force: true });
  services = { ...stage.services, indexTurns: createIndexTurns(db, 3) };
  large = (await createWorkspace(db, { name: 'Large', planTier: 'Free' })).workspaceId;
  small = (await createWorkspace(db, { name: 'Small', planTier: 'Free' })).workspaceId;
});

interface Pushed {
  text?: string;
  source?: string;
  image?: string;
  /** Accepts documents that all have the same text. */
  sections?: number;
}

async function accept(
  workspaceId: WorkspaceId,
  ids: readonly string[],
  { text = TEXT, source = 'file', image, sections: count = 1 }: Pushed = {},
): Promise<DocumentId[]> {
  const section = { text, ...(image !== undefined && { image_file_id: image }) };
  const sections = Array.from({ length: count }, () => section);
  await Promise.all(
    ids.map((id) => {
      const document = { id, semantic_identifier: id, sections, source };
      const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
      const item = toIncomingDocument(ingestionItemSchema.parse({ document }), context);
      return services.documentAcceptor.accept(item);
    }),
  );
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where workspace_id = ${workspaceId} and external_id = any(${ids}::text[])
    order by id`.execute(services.db);
  return rows.map(({ id }) => id);
}

const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}-${n}`);

/** The workspace and source of the documents in the next claim. */
async function nextTurn(turns: Services['indexTurns'] = services.indexTurns): Promise<string[]> {
  await using claim = await turns.next();
  const names = new Map([
    [large, 'large'],
    [small, 'small'],
  ]);
  return [...new Set(claim.documents.map((one) => `${names.get(one.workspace_id)}/${one.source}`))];
}

/** Number of indexed documents in the workspace. */
async function countIndexed(workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from document
    where workspace_id = ${workspaceId} and status = 'indexed'`.execute(services.db);
  return rows[0]?.count ?? 0;
}

/** Workers whose embedder holds each batch until the test releases it. */
class HeldWorkers implements AsyncDisposable {
  readonly batches: { texts: readonly string[]; release: () => void }[] = [];
  #running: RunningWorkers | null = null;
  #isOpen = false;

  async start(overrides: Partial<Services> = {}): Promise<void> {
    const { embedder } = services;
    const held: Services['embedder'] = {
      ...embedder,
      // Otherwise the threads make the vectors along with the chunks.
      isBuiltin: false,
      embedDocuments: async (texts, signal) => {
        if (!this.#isOpen) {
          await new Promise<void>((release) => this.batches.push({ texts, release }));
        }
        return embedder.embedDocuments(texts, signal);
      },
    };
    this.#running = await startWorkers({ ...services, embedder: held, ...overrides }, [
      'document-index',
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = true;
    for (const { release } of this.batches) release();
    await this.#running?.close(20_000);
  }
}

it('a document with very many tiny sections is a long turn, which leaves the last slot to others', async () => {
  const turns = createIndexTurns(services.db, 2);
  for (const id of ['long', 'longer']) await accept(large, [id], { text: 'Tiny.', sections: 600 });
  await using first = await turns.next();
  expect(first.documents.map(({ semantic_identifier }) => semantic_identifier)).toEqual(['long']);
  expect(first.isLong).toBe(true);
  expect(await nextTurn(turns)).toEqual([]);
  await accept(small, ['small']);
  expect(await nextTurn(turns)).toEqual(['small/file']);
});

it('a job in a long turn for others wakes another slot for its own document', async () => {
  await accept(large, ['huge'], { text: LARGE_TEXT });
  const documentIds = await accept(small, ['newcomer'], { text: 'About the newcomer.' });
  for (const queue of services.producer.openQueues()) await queue.obliterate({ force: true });
  await using workers = new HeldWorkers();
  await workers.start();
  // The only job left is that of the newcomer. It takes the long turn first: that document has waited longer.
  await services.producer.enqueue(documentIndex, { documentIds });
  await until(async () => workers.batches.length === 2);
  const texts = workers.batches.flatMap((batch) => batch.texts);
  expect(texts.length).toBeGreaterThan(100);
  expect(texts).toContainEqual(expect.stringContaining('About the newcomer.'));
});

it('a full job that also took over lapsed documents still wakes another slot', async () => {
  await accept(large, ['huge'], { text: LARGE_TEXT });
  const documentIds = await accept(small, named('newcomer', MAX_DOCUMENTS_PER_JOB));
  const lapsed = await accept(small, ['lapsed']);
  await sql`update document set status = 'indexing', claimed_until = now() - interval '1 minute'
    where id = any(${lapsed}::bigint[])`.execute(services.db);
  for (const queue of services.producer.openQueues()) await queue.obliterate({ force: true });
  await using workers = new HeldWorkers();
  await workers.start();
  await services.producer.enqueue(documentIndex, { documentIds });
  await until(async () => workers.batches.length === 2);
});

it('a turn that finds nothing renews no lease', async () => {
  const turns = createIndexTurns(services.db, 2);
  for (const id of ['long', 'longer']) await accept(large, [id], { text: 'Tiny.', sections: 600 });
  const startTimer = vi.spyOn(globalThis, 'setInterval');
  onTestFinished(() => startTimer.mockRestore());
  await using held = await turns.next();
  expect(held.isLong).toBe(true);
  expect(await nextTurn(turns)).toEqual([]);
  expect(startTimer).toHaveBeenCalledOnce();
});

describe('with the queue full of another workspace', () => {
  it('a new document is in the next turn', async () => {
    // Many small jobs: each flush of the acceptor makes one.
    const backlog = named('backlog', BACKLOG);
    for (let at = 0; at < BACKLOG; at += 10) await accept(large, backlog.slice(at, at + 10));
    await using workers = new HeldWorkers();
    await workers.start();
    await until(async () => workers.batches.length === 3);
    await accept(small, ['newcomer'], { text: 'About the newcomer.' });
    workers.batches[0]?.release();
    await until(async () => workers.batches.length === 4);
    expect(workers.batches[3]?.texts).toEqual([expect.stringContaining('About the newcomer.')]);
    // Except for its own turn, all others are still waiting or held.
    expect(await countIndexed(large)).toBeLessThan(BACKLOG / 2);
  });

  it('a document does not wait for large ones, however many are in progress', async () => {
    for (const id of named('huge', 4)) await accept(large, [id], { text: LARGE_TEXT });
    await using workers = new HeldWorkers();
    await workers.start();
    await until(async () => workers.batches.length === 2);
    await accept(small, ['newcomer'], { text: 'About the newcomer.' });
    await until(async () => workers.batches.length === 3);
    expect(workers.batches[2]?.texts).toEqual([expect.stringContaining('About the newcomer.')]);
    expect(await countIndexed(large)).toBe(0);
  });

  it('a document does not wait for images that are being described', async () => {
    await accept(large, named('pictured', 4), { image: 'b3a1' });
    await using workers = new HeldWorkers();
    const describing = Promise.withResolvers<null>();
    let asked = 0;
    await workers.start({
      describeImage: () => {
        asked += 1;
        return describing.promise;
      },
    });
    await until(async () => asked > 0);
    await accept(large, named('pictured-too', 4), { image: 'b3a1' });
    await until(async () => asked > 4);
    await accept(large, named('pictured-as-well', 4), { image: 'b3a1' });
    await accept(small, ['newcomer'], { text: 'About the newcomer.' });
    await until(async () => workers.batches.length === 1);
    expect(workers.batches[0]?.texts).toEqual([expect.stringContaining('About the newcomer.')]);
    expect(asked).toBe(8);
    describing.resolve(null);
  });

  it('everything is indexed in the end', async () => {
    await accept(large, named('backlog', 60));
    await accept(large, named('huge', 2), { text: LARGE_TEXT });
    await accept(small, named('few', 3));
    const workers = await startWorkers(services, ['document-index']);
    await until(async () => (await countIndexed(large)) + (await countIndexed(small)) === 65);
    await workers.close(5_000);
  });
});

describe('turns', () => {
  it('alternate between two workspaces with a backlog', async () => {
    await accept(large, named('a', BACKLOG));
    await nextTurn();
    await accept(small, named('b', BACKLOG));
    const had = [];
    for (let turn = 0; turn < 6; turn += 1) had.push(await nextTurn());
    expect(had.filter((one) => one.includes('large/file')).length).toBeGreaterThanOrEqual(2);
    expect(had.filter((one) => one.includes('small/file')).length).toBeGreaterThanOrEqual(3);
  });

  it('take a pushed document before the crawl of the same workspace', async () => {
    await accept(large, named('page', BACKLOG), { source: 'web' });
    expect(await nextTurn()).toEqual(['large/web']);
    expect(await nextTurn()).toEqual(['large/web']);
    await accept(large, ['pushed'], { source: 'file' });
    expect(await nextTurn()).toEqual(['large/file']);
    expect(await nextTurn()).toEqual(['large/web']);
  });

  it('take the documents of a workspace in the order of arrival', async () => {
    const ids = [];
    for (const id of named('in-order', 60)) ids.push(...(await accept(large, [id])));
    const claimed: number[] = [];
    while (claimed.length < ids.length) {
      await using claim = await services.indexTurns.next();
      claimed.push(...claim.documents.map(({ id }) => id).toSorted((a, b) => a - b));
    }
    expect(claimed).toEqual(ids);
  });

  it('never give a document to two processes', async () => {
    await accept(large, named('shared', BACKLOG));
    await accept(small, ['newcomer']);
    const books = [createIndexTurns(services.db, 3), createIndexTurns(services.db, 3)];
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, n) => books[n % 2]?.next() ?? Promise.reject(new Error())),
    );
    const ids = claims.flatMap((claim) => claim.documents.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const claim of claims) await claim[Symbol.asyncDispose]();
  });

  it('skip documents that are not due, and return to them when they are', async () => {
    await accept(large, ['postponed']);
    await sql`update document set next_attempt_at = now() + interval '1 hour'`.execute(services.db);
    expect(await nextTurn()).toEqual([]);
    await sql`update document set next_attempt_at = now()`.execute(services.db);
    expect(await nextTurn()).toEqual(['large/file']);
  });

  it('free the slot of a long document when it is done', async () => {
    await accept(large, named('huge', 3), { text: LARGE_TEXT });
    const first = await services.indexTurns.next();
    const second = await services.indexTurns.next();
    expect([first, second].map((claim) => claim.documents.length)).toEqual([1, 1]);
    expect(await nextTurn()).toEqual([]);
    await first[Symbol.asyncDispose]();
    expect(await nextTurn()).toEqual(['large/file']);
    await second[Symbol.asyncDispose]();
  });
});

describe('a job', () => {
  it('sends the documents of other jobs again when the embedder asks to retry later', async () => {
    const [own] = await accept(large, ['own']);
    const others = await accept(small, named('other', 2));
    const sent: unknown[] = [];
    const away: Services = {
      ...services,
      embedder: {
        ...services.embedder,
        // Otherwise the threads make the vectors along with the chunks.
        isBuiltin: false,
        embedDocuments: () => Promise.reject(new RetryLater(30_000, 'Busy.')),
      },
      producer: {
        ...services.producer,
        async enqueue(_queue, payload, options) {
          sent.push({ payload, options });
        },
      },
    };
    await expect(indexDocuments(away, own ? [own] : [], never)).rejects.toThrow('Busy.');
    expect(sent).toEqual([{ payload: { documentIds: others }, options: { delayMs: 30_000 } }]);
    const { rows } = await sql`select distinct status, attempts, next_attempt_at > now() as later
      from document`.execute(services.db);
    expect(rows).toEqual([{ status: 'accepted', attempts: 0, later: true }]);
  });

  it('ends at once when other jobs are indexing its documents', async () => {
    const ids = await accept(large, named('claimed', 3));
    await using claim = await services.indexTurns.next();
    await accept(small, ['waiting']);
    await indexDocuments(services, ids, never);
    expect(claim.documents).toHaveLength(3);
    expect(await countIndexed(small)).toBe(0);
  });

  it('with much to remove lets others take turns in between', async () => {
    const [doomed] = await accept(large, ['doomed'], { text: 'Soon gone.' });
    await sql`update document set status = 'deleting' where id = ${doomed}`.execute(services.db);
    await sql`insert into chunk (id, workspace_id, document_id, ordinal, section_index, start_offset,
        end_offset, text, is_html, headings, hash, token_count)
      select nextval('chunk_id'), ${large}, ${doomed}, n, 0, 0, 1, 'x', false, '[]', '', 1
      from generate_series(1, 5000) n`.execute(services.db);
    await accept(small, ['newcomer']);
    let left = 0;
    const watching: Services = {
      ...services,
      embedder: {
        ...services.embedder,
        // Otherwise the threads make the vectors along with the chunks.
        isBuiltin: false,
        async embedDocuments(texts, signal) {
          const { rows } = await sql<{ left: number }>`
            select count(*)::int as left from chunk where document_id = ${doomed}`.execute(
            services.db,
          );
          left = rows[0]?.left ?? 0;
          return services.embedder.embedDocuments(texts, signal);
        },
      },
    };
    await indexDocuments(watching, doomed ? [doomed] : [], never);
    expect(left).toBe(4_750);
    const { rows } = await sql`select external_id from document`.execute(services.db);
    expect(rows).toEqual([{ external_id: 'newcomer' }]);
  });
});
