import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import type { IndexThreads } from '#src/documents/index-threads.ts';
import { MIN_BASIS_CHUNKS, renewBasis } from '#src/documents/renew-basis.ts';
import { askForBasis } from '#src/documents/search/read-basis.ts';
import { PLAIN_SEARCH, searchPage } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const SEARCHER = '00000000-0000-4000-8000-000000000009' as UserId;
const HARBOUR = ['quay', 'tide', 'anchor', 'pilot', 'vessel', 'mooring', 'lantern', 'ferry'];
const GARDEN = ['soil', 'seed', 'lawn', 'hedge', 'compost', 'spade', 'orchard', 'tulip'];
const { signal } = new AbortController();

let stage: TestServices;
beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());

function textOf(number: number): string {
  const topic = number % 2 === 0 ? HARBOUR : GARDEN;
  return [0, 1, 3, 4].map((step) => topic[(number + step) % topic.length] ?? '').join(' ');
}

async function push(workspaceId: WorkspaceId, texts: Record<string, string>): Promise<void> {
  const { services } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  await Promise.all(
    Object.entries(texts).map(([id, text]) => {
      const document = { id, semantic_identifier: id, source: 'file', sections: [{ text }] };
      const item = ingestionItemSchema.parse({ document });
      return services.documentAcceptor.accept(toIncomingDocument(item, context));
    }),
  );
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where status = 'accepted'`.execute(services.db);
  await indexDocuments(
    services,
    rows.map(({ id }) => id),
    signal,
  );
  while ((await foldTermDeltas(services.db, 250)).folded > 0);
}

const pushTopics = (workspaceId: WorkspaceId, from: number, to: number) =>
  push(
    workspaceId,
    Object.fromEntries(
      Array.from({ length: to - from }, (_, n) => [`n${from + n}`, textOf(from + n)]),
    ),
  );

const renew = () => renewBasis(stage.services, signal);
const basisOf = async (workspaceId: WorkspaceId) => {
  const asked = askForBasis(workspaceId);
  const { rows } = await asked.rows.execute(stage.services.db);
  return asked.take(rows[0] ?? null);
};

async function rowOf(workspaceId: WorkspaceId) {
  return stage.services.db
    .selectFrom('latent_basis')
    .select(['id', 'version', 'chunks', 'tried_at'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
}

/** What the results of a query score, and how much of it is for their meaning. */
async function scores(query: string) {
  const { hits } = await searchPage(stage.services, {
    ...PLAIN_SEARCH,
    workspaceId: stage.workspaceId,
    userId: SEARCHER,
    query,
    filters: NO_FILTERS,
    limit: 50,
    signal,
    explains: true,
  });
  for (const { explanation } of hits) {
    const parts = Object.values(explanation?.parts ?? {}).reduce((sum, part) => sum + part, 0);
    expect(parts).toBeCloseTo(explanation?.relevance ?? NaN, 10);
  }
  return Object.fromEntries(
    hits.map(({ hit, explanation }) => [
      hit.document_id,
      { score: hit.score, meaning: explanation?.parts.meaning ?? NaN },
    ]),
  );
}

/** What the training does while it is in the threads. */
function whileTraining(work: () => Promise<void>) {
  const { indexThreads } = stage.services;
  const threads: IndexThreads = {
    ...indexThreads,
    async trainBasis(task, stop) {
      await work();
      return indexThreads.trainBasis(task, stop);
    },
  };
  return renewBasis({ ...stage.services, indexThreads: threads }, signal);
}

it('a workspace of few chunks has no basis', async () => {
  await pushTopics(stage.workspaceId, 0, MIN_BASIS_CHUNKS - 10);
  expect(await renew()).toBe(false);
  expect(await basisOf(stage.workspaceId)).toBeNull();
});

it('one that has enough is trained once, and its searches rank by what is meant', async () => {
  await pushTopics(stage.workspaceId, MIN_BASIS_CHUNKS - 10, MIN_BASIS_CHUNKS + 20);
  await push(stage.workspaceId, {
    dock: 'crane tide pilot ferry',
    plot: 'crane seed hedge tulip',
  });
  expect((await scores('crane tide'))['dock']?.meaning).toBe(0);
  expect(await renew()).toBe(true);
  expect(await renew()).toBe(false);
  const { dock, plot } = await scores('crane tide');
  expect(plot?.meaning).toBeGreaterThan(0);
  expect(dock?.meaning).toBeGreaterThan((plot?.meaning ?? NaN) + 0.003);
  expect(await rowOf(stage.workspaceId)).toMatchObject({ chunks: MIN_BASIS_CHUNKS + 22 });
});

it('a training that dies leaves the basis before, and is tried again later', async () => {
  await sql`update latent_basis set chunks = 100`.execute(stage.services.db);
  const before = await rowOf(stage.workspaceId);
  const dying = whileTraining(() => Promise.reject(new Error('The thread died.')));
  await expect(dying).rejects.toThrow('The thread died.');
  expect(await rowOf(stage.workspaceId)).toMatchObject({ id: before?.id });
  expect(await renew()).toBe(false);
  await sql`update latent_basis set tried_at = now() - interval '11 minutes'`.execute(
    stage.services.db,
  );
  expect(await renew()).toBe(true);
  expect((await rowOf(stage.workspaceId))?.id).not.toBe(before?.id);
  expect(await rowOf(stage.workspaceId)).toMatchObject({ tried_at: null });
});

it('two processes do not train one workspace at the same time', async () => {
  await sql`update latent_basis set chunks = 100`.execute(stage.services.db);
  expect((await Promise.all([renew(), renew()])).sort()).toEqual([false, true]);
});

it('a basis of an earlier version is not read, and is made again', async () => {
  await sql`update latent_basis set version = 0`.execute(stage.services.db);
  expect(await basisOf(stage.workspaceId)).toBeNull();
  expect((await scores('crane tide'))['dock']?.meaning).toBe(0);
  expect(await renew()).toBe(true);
  expect(await basisOf(stage.workspaceId)).not.toBeNull();
});

it('a process reads the basis that another one has trained', async () => {
  const { db } = stage.services;
  const kept = await basisOf(stage.workspaceId);
  expect(await basisOf(stage.workspaceId)).toBe(kept);
  await sql`update latent_basis set id = gen_random_uuid()`.execute(db);
  expect(await basisOf(stage.workspaceId)).not.toBe(kept);
});

it('a workspace that is deleted during its training leaves nothing', async () => {
  const { db } = stage.services;
  const other = await createWorkspace(db, { name: 'Another', planTier: 'Enterprise' });
  await pushTopics(other.workspaceId, 0, MIN_BASIS_CHUNKS);
  expect(await basisOf(other.workspaceId)).toBeNull();
  const trained = await whileTraining(async () => {
    await sql`delete from document where workspace_id = ${other.workspaceId}`.execute(db);
    await sql`delete from workspace where id = ${other.workspaceId}`.execute(db);
  });
  expect(trained).toBe(true);
  expect(await rowOf(other.workspaceId)).toBeUndefined();
  expect(await renew()).toBe(false);
});
