import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { insertPair } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let admin: TestUser;
let otherAdmin: TestUser;
let reader: TestUser;
let writer: TestUser;
let inbox: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  admin = await openWorkspace(millrace);
  stranger = await openWorkspace(millrace);
  otherAdmin = await addUser(millrace, admin, 'admin');
  reader = await addUser(millrace, admin, 'read');
  writer = await addUser(millrace, admin, 'member');
  inbox = await addUser(millrace, admin, 'ingest');
  await fillIndex();
});
afterAll(() => millrace[Symbol.asyncDispose]());

/** `secret` is in a private pair of the second admin and `open` in a public one; both contain the word walrus. */
async function fillIndex(): Promise<void> {
  const { db } = millrace.services;
  const hidden = await insertPair(db, admin.workspaceId, 'Hidden', otherAdmin.userId);
  const open = await insertPair(db, admin.workspaceId, 'Open', otherAdmin.userId);
  await sql`update cc_pair set access_type = 'private' where id = ${hidden}`.execute(db);
  for (const [id, pair, key] of [
    ['secret', hidden, otherAdmin.key],
    ['open', open, admin.key],
    ['foreign', null, stranger.key],
  ] as const) {
    const document = {
      id,
      semantic_identifier: `Walrus ${id}`,
      sections: [{ text: `The walrus is ${id}.`, link: `https://walrus.test/${id}` }],
      metadata: { animal: `${id}-walrus`, colour: 'grey' },
    };
    const body = pair === null ? { document } : { document, cc_pair_id: pair };
    const { status } = await millrace.call('POST', '/service-api/ingestion', body, { key });
    expect(status).toBe(200);
  }
  await millrace.settled(admin.key);
  await millrace.settled(stranger.key);
}

const call = (method: string, path: string, key: string, body?: unknown) =>
  millrace.call(method, path, body, { key });
const documentIds = (documents: { document_id: string }[]): string[] =>
  documents.map(({ document_id }) => document_id).toSorted();

describe('GET /query/valid-tags', () => {
  const tags = async (key: string, query = ''): Promise<string[]> => {
    const { status, body } = await call('GET', `/api/query/valid-tags${query}`, key);
    expect(status).toBe(200);
    return body.tags.map(
      (tag: { tag_key: string; tag_value: string }) => `${tag.tag_key}=${tag.tag_value}`,
    );
  };

  it('lists the tags of the documents that the caller may find, and no others', async () => {
    expect(await tags(otherAdmin.key)).toEqual([
      'animal=open-walrus',
      'animal=secret-walrus',
      'colour=grey',
    ]);
    for (const key of [reader.key, admin.key])
      expect(await tags(key)).toEqual(['animal=open-walrus', 'colour=grey']);
    expect(await tags(stranger.key)).toEqual(['animal=foreign-walrus', 'colour=grey']);
  });

  it.each<[string, string[]]>([
    ['?match_pattern=COL', ['colour=grey']],
    ['?match_pattern=gr', ['colour=grey']],
    ['?match_pattern=animal%3DOpen', ['animal=open-walrus']],
    ['?match_pattern=ani%3Dopen', []],
    ['?match_pattern=col&allow_prefix=false', []],
    ['?match_pattern=colour&allow_prefix=false', ['colour=grey']],
    ['?match_pattern=animal%3Dopen-walrus&allow_prefix=false', ['animal=open-walrus']],
    ['?match_pattern=%25', []],
    ['?match_pattern=c_lour', []],
    ['?match_pattern=', ['animal=open-walrus', 'colour=grey']],
  ])('with %s finds %j', async (query, expected) => {
    expect(await tags(reader.key, query)).toEqual(expected);
  });
});

describe('POST /search as existing clients send it', () => {
  const search = async (body: object) =>
    (await call('POST', '/api/search', otherAdmin.key, { query: 'walrus', ...body })).body.results;

  it('numbers its results and gives title and text', async () => {
    const results = await search({ skip_query_expansion: true, message_history: null });
    expect(results.map(({ citation_id }: { citation_id: number }) => citation_id)).toEqual([1, 2]);
    for (const result of results) {
      expect(result).toMatchObject({ title: result.semantic_identifier, content: result.text });
    }
  });

  it.each<[object, string[]]>([
    [{ sources: ['wiki'] }, []],
    [{ sources: null, document_sets: null, tags: null, time_cutoff: null }, ['open', 'secret']],
    [{ tags: [{ tag_key: 'animal', tag_value: 'open-walrus' }] }, ['open']],
    [{ document_sets: ['None such'] }, []],
    [{ time_cutoff: '2999-01-01T00:00:00Z' }, []],
    [{ tags: { colour: 'red' }, search_filters: { tags: { animal: 'open-walrus' } } }, ['open']],
    [{ tags: { animal: 'open-walrus' }, search_filters: { source_type: ['wiki'] } }, []],
  ])('is filtered by %j', async (body, expected) => {
    expect(documentIds(await search(body))).toEqual(expected);
  });
});

describe('POST /admin/search', () => {
  const search = (key: string, body: unknown) => call('POST', '/api/admin/search', key, body);

  it('returns what that admin may see', async () => {
    const mine = await search(otherAdmin.key, { query: 'walrus', filters: {} });
    expect(documentIds(mine.body.documents)).toEqual(['open', 'secret']);
    const theirs = await search(admin.key, { query: 'walrus', filters: null });
    expect(documentIds(theirs.body.documents)).toEqual(['open']);
    const foreign = await search(stranger.key, { query: 'walrus' });
    expect(documentIds(foreign.body.documents)).toEqual(['foreign']);
  });

  it('lists the newest documents when the query is blank, with the same visibility', async () => {
    const mine = await search(otherAdmin.key, { query: ' ' });
    expect(documentIds(mine.body.documents)).toEqual(['open', 'secret']);
    const { body } = await search(admin.key, { query: '' });
    expect(body.documents).toMatchObject([
      { document_id: 'open', blurb: 'The walrus is open.', link: 'https://walrus.test/open' },
    ]);
    const none = await search(admin.key, { query: '', filters: { tags: { colour: 'red' } } });
    expect(none.body.documents).toEqual([]);
  });

  it('is for admins only', async () => {
    for (const { key } of [reader, writer, inbox])
      expect((await search(key, { query: 'walrus' })).status).toBe(403);
  });
});

describe('POST /search/send-search-message', () => {
  const path = '/search/send-search-message';

  it('answers with one object, with passages on request', async () => {
    const body = { search_query: 'walrus', filters: null, num_hits: 5, hybrid_alpha: 0.5 };
    const bare = await call('POST', `/api${path}`, reader.key, body);
    expect(bare.body).toMatchObject({
      all_executed_queries: ['walrus'],
      search_docs: [{ document_id: 'open', content: null }],
      doc_selection_reasoning: null,
      llm_selected_doc_ids: null,
      error: null,
    });
    const whole = await call('POST', path, reader.key, { ...body, include_content: true });
    expect(whole.body.search_docs).toMatchObject([{ content: 'The walrus is open.' }]);
    const mine = await call('POST', path, otherAdmin.key, body);
    expect(documentIds(mine.body.search_docs)).toEqual(['open', 'secret']);
    const foreign = await call('POST', path, stranger.key, body);
    expect(documentIds(foreign.body.search_docs)).toEqual(['foreign']);
  });

  it('streams bare lines under /api and events elsewhere', async () => {
    const body = { search_query: 'walrus', stream: true };
    const bare = await call('POST', `/api${path}`, reader.key, body);
    const lines = bare.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'search_queries', all_executed_queries: ['walrus'] },
      { type: 'search_docs', search_docs: [{ document_id: 'open' }] },
    ]);
    const events = await call('POST', path, reader.key, body);
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(events.text).toBe(lines.map((line) => `data: ${line}\n\n`).join(''));
  });

  it.each<[string, unknown, string]>([
    ['a blank query', { search_query: ' ' }, 'body.search_query'],
    ['2,049 characters', { search_query: 'x'.repeat(2_049) }, 'body.search_query'],
    ['101 hits', { search_query: 'x', num_hits: 101 }, 'body.num_hits'],
    ['filters of the wrong type', { search_query: 'x', filters: 'all' }, 'body.filters'],
  ])('refuses %s before anything is streamed', async (_, body, words) => {
    const refused = await call('POST', path, reader.key, { stream: true, ...(body as object) });
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
  });
});
