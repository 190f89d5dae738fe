import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { gatherWords } from '#src/documents/gather-words.ts';
import type { Answer } from './api-client.ts';
import { asPushed, CORPUS, PRIVATE_CORPUS } from './search-corpus.ts';
import { insertPair } from './seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from './test-millrace.ts';
import { addUser, openWorkspace, type TestUser } from './test-users.ts';
import { until } from './until.ts';

interface Result {
  document_id: string;
  explanation: { terms: object[]; missing: string[] };
  match_highlights: string[];
  similar_count: number;
  similar_document_ids: string[];
}

/** A workspace with the corpus of the search cases, a part of it private to its owner, and its words gathered. */
export interface SearchStage extends AsyncDisposable {
  millrace: TestMillrace;
  owner: TestUser;
  /** May not see what is private to the owner. */
  reader: TestUser;
  /** As the owner, unless told. */
  call: (method: string, path: string, body?: unknown, user?: TestUser) => Promise<Answer>;
  /** As the reader, unless told. */
  search: (
    request: string | object,
    user?: TestUser,
  ) => Promise<{ ids: string[]; results: Result[]; body: Answer['body']; text: string }>;
}

export async function openSearchStage(): Promise<SearchStage> {
  await using opened = new AsyncDisposableStack();
  const millrace = opened.use(await startTestMillrace());
  const owner = await openWorkspace(millrace);
  const reader = await addUser(millrace, owner, 'read');
  const call: SearchStage['call'] = (method, path, body, user = owner) =>
    millrace.call(method, path, body, { key: user.key });
  await fill(millrace, owner, call);
  const resources = opened.move();
  return {
    millrace,
    owner,
    reader,
    call,
    async search(request, user = reader) {
      const body = typeof request === 'string' ? { query: request } : request;
      const answer = await call('POST', '/search', body, user);
      expect(answer.status, answer.text).toBe(200);
      const results: Result[] = answer.body.results;
      return {
        ids: results.map((one) => one.document_id),
        results,
        body: answer.body,
        text: answer.text,
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Tests of what queries find, one for each case. */
export function searchCases(search: (request: string | object) => Promise<{ ids: string[] }>) {
  return {
    /** The best document for a query. */
    firstFor: (cases: [string | object, string][]) =>
      it.each(cases)('%j finds %s first', async (request, id) => {
        expect((await search(request)).ids[0]).toBe(id);
      }),
    /** All documents for a query, in any order. */
    exactlyFor: (cases: [string | object, string[]][]) =>
      it.each(cases)('%j finds exactly %j', async (request, ids) => {
        expect((await search(request)).ids.toSorted()).toEqual(ids.toSorted());
      }),
    /** A document that must not be among the results, although others are. */
    neverFor: (cases: [string | object, string][]) =>
      it.each(cases)('%j finds others than %s', async (request, id) => {
        const { ids } = await search(request);
        expect(ids.length).toBeGreaterThan(0);
        expect(ids).not.toContain(id);
      }),
  };
}

async function fill(
  millrace: TestMillrace,
  owner: TestUser,
  call: SearchStage['call'],
): Promise<void> {
  const { db } = millrace.services;
  const own = await insertPair(db, owner.workspaceId, 'Own', owner.userId);
  const open = await insertPair(db, owner.workspaceId, 'Open', owner.userId);
  await sql`update cc_pair set access_type = 'private' where id = ${own}`.execute(db);
  for (const [pairId, documents] of [
    [open, CORPUS],
    [own, PRIVATE_CORPUS],
  ] as const) {
    const items = documents.map((one) => ({ document: asPushed(one), cc_pair_id: pairId }));
    const { status } = await call('POST', '/service-api/ingestion/batch', { documents: items });
    expect(status).toBe(200);
  }
  for (const [name, pairs] of [
    ['Public set', [open]],
    ['Secret set', [own]],
  ] as const) {
    const set = { name, description: '', cc_pair_ids: pairs };
    expect((await call('POST', '/manage/admin/document-set', set)).status).toBe(200);
  }
  await call('PATCH', '/search/settings', {
    synonyms: [
      ['car', 'automobile'],
      ['AWS', 'Amazon Web Services'],
      ['cpp', 'C++'],
      ['csharp', 'C#'],
      ['cancel', 'kündigen', 'Kündigung'],
    ],
  });
  await millrace.settled(owner.key);
  await until(async () => {
    await gatherWords(db);
    const { rows } = await sql<{ isOver: boolean }>`
      select (value->>'until')::bigint >= (select max(id) from chunk) as "isOver"
      from deployment_fact where name = 'compounds_gathered'`.execute(db);
    return rows[0]?.isOver === true;
  });
}
