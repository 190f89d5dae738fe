import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertColleague } from '#test/support/colleague-keys.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { sendFiles } from '#test/support/upload-files.ts';

let millrace: TestMillrace;
let workspace: { workspaceId: string; key: string };
let member: string;

beforeAll(async () => {
  millrace = await startTestMillrace();
  workspace = await millrace.createWorkspace();
  const { keys } = await insertColleague(millrace.services.db, workspace.workspaceId);
  member = keys.member;
});
afterAll(() => millrace[Symbol.asyncDispose]());

type Call = (path: string, body?: unknown, key?: string) => ReturnType<TestMillrace['call']>;
const get: Call = (path, _, key = workspace.key) => millrace.call('GET', path, undefined, { key });
const post: Call = (path, body, key = workspace.key) => millrace.call('POST', path, body, { key });

interface Seed {
  id: string;
  title?: string;
  source?: string;
  pair?: number;
}

async function push(...seeds: Seed[]): Promise<void> {
  for (const { id, title = id, source = 'file', pair } of seeds) {
    const document = {
      id,
      semantic_identifier: title,
      sections: [{ text: `Text of ${id}.` }],
      source,
    };
    const body = pair === undefined ? { document } : { document, cc_pair_id: pair };
    expect((await post('/service-api/ingestion', body)).status).toBe(200);
  }
  await millrace.settled(workspace.key);
}

async function fail(...ids: string[]): Promise<void> {
  await sql`update document set status = 'failed', attempts = 8, error = 'embedder away'
    where external_id = any(${ids}::text[])`.execute(millrace.services.db);
}

async function listed(query = ''): Promise<string[]> {
  const { body } = await get(`/service-api/ingestion${query}`);
  return body.documents.map((one: { document_id: string }) => one.document_id).toSorted();
}

describe('documents', () => {
  beforeEach(async () => {
    await post('/documents/delete', { matching: {} });
    await millrace.settled(workspace.key);
  });

  it('show the link of their text, also when a process of the version before wrote it', async () => {
    const { db } = millrace.services;
    const section = { text: 'Text.', link: 'https://bees.example/first' };
    const document = { id: 'linked', semantic_identifier: 'Linked', sections: [section] };
    await post('/service-api/ingestion', { document });
    await millrace.settled(workspace.key);
    const shown = async () => (await get('/service-api/ingestion/linked')).body.link;
    expect(await shown()).toBe('https://bees.example/first');
    const older = (...links: object[]) =>
      sql`update document set sections = ${JSON.stringify(links)}::json
        where external_id = 'linked'`.execute(db);
    await older({ text: 'Text.', link: 'https://bees.example/second' });
    expect(await shown()).toBe('https://bees.example/second');
    await older({ text: 'Text.', link: null });
    expect(await shown()).toBeNull();
    await post('/service-api/ingestion', {
      document: { ...document, sections: [{ ...section, link: 'https://bees.example/third' }] },
    });
    expect(await shown()).toBe('https://bees.example/third');
  });

  it('are listed by a part of the title or the id, a source, a pair and a set, all at once', async () => {
    const { db } = millrace.services;
    const owner = await ownerOf(db, workspace.workspaceId);
    const pair = await insertPair(db, workspace.workspaceId, 'Wiki', owner);
    await push(
      { id: 'wiki/1', title: 'Über Bienen', source: 'web', pair },
      { id: 'wiki/2', title: '100 % honey', source: 'web', pair },
      { id: 'file-3', title: 'Bees and wikis' },
    );
    const set = { name: 'Bees & more', cc_pair_ids: [pair] };
    expect((await post('/manage/admin/document-set', set)).status).toBe(200);
    expect(await listed('?q=WIKI')).toEqual(['file-3', 'wiki/1', 'wiki/2']);
    expect(await listed(`?q=${encodeURIComponent('über')}`)).toEqual(['wiki/1']);
    expect(await listed(`?q=${encodeURIComponent('0 %')}`)).toEqual(['wiki/2']);
    expect(await listed('?q=_')).toEqual([]);
    expect(await listed(`?document_set=${encodeURIComponent('Bees & more')}`)).toEqual([
      'wiki/1',
      'wiki/2',
    ]);
    expect(await listed('?document_set=none')).toEqual([]);
    expect(await listed(`?q=bie&source=web&cc_pair_id=${pair}&status=indexed`)).toEqual(['wiki/1']);
    expect((await get('/documents/filters')).body).toEqual({
      sources: [
        { source: 'web', documents: 2 },
        { source: 'file', documents: 1 },
      ],
      connectors: [{ cc_pair_id: pair, name: 'Wiki', source: expect.any(String) }],
      document_sets: ['Bees & more'],
    });
    await sql`update cc_pair set access_type = 'private' where id = ${pair}`.execute(db);
    const { body } = await get('/documents/filters', undefined, member);
    expect(body).toEqual({
      sources: [{ source: 'file', documents: 1 }],
      connectors: [],
      document_sets: [],
    });
    await sql`update cc_pair set access_type = 'public' where id = ${pair}`.execute(db);
  });

  it('that failed are indexed anew by id, whatever else is named', async () => {
    await push({ id: 'a' }, { id: 'b' }, { id: 'c' });
    await fail('a', 'b');
    const { status, body } = await post('/documents/retry', { document_ids: ['a', 'c', 'nope'] });
    expect([status, body]).toEqual([200, { count: 1 }]);
    await millrace.settled(workspace.key);
    expect(await listed('?status=failed')).toEqual(['b']);
    expect(await listed('?status=indexed')).toEqual(['a', 'c']);
  });

  it('that match are counted and then changed, the oldest first and no more than asked', async () => {
    await push({ id: 'old-1' }, { id: 'other' }, { id: 'old-2' }, { id: 'old-3' });
    await fail('old-1', 'old-3', 'other');
    expect((await get('/documents/count?q=old')).body).toEqual({
      documents: 3,
      retryable: 2,
      deletable: 3,
    });
    const matching = { q: 'old', status: 'failed' };
    expect((await post('/documents/retry', { matching, limit: 1 })).body).toEqual({ count: 1 });
    await millrace.settled(workspace.key);
    expect(await listed('?status=failed')).toEqual(['old-3', 'other']);
    expect((await post('/documents/delete', { matching: { q: 'old' }, limit: 2 })).body).toEqual({
      count: 2,
    });
    await millrace.settled(workspace.key);
    expect(await listed()).toEqual(['old-3', 'other']);
  });

  it('of colleagues are counted and changed by nobody who may not', async () => {
    const { db } = millrace.services;
    const owner = await ownerOf(db, workspace.workspaceId);
    const pair = await insertPair(db, workspace.workspaceId, 'Of the owner', owner);
    await push({ id: 'theirs', pair }, { id: 'shared' });
    await fail('theirs', 'shared');
    expect((await get('/documents/count', undefined, member)).body).toEqual({
      documents: 2,
      retryable: 1,
      deletable: 1,
    });
    const all = { matching: {} };
    expect((await post('/documents/retry', all, member)).body).toEqual({ count: 1 });
    const named = { document_ids: ['theirs', 'shared'] };
    expect((await post('/documents/delete', named, member)).body).toEqual({ count: 1 });
    await millrace.settled(workspace.key);
    expect(await listed()).toEqual(['theirs']);
    expect((await post('/documents/delete', all, millrace.adminKey)).body).toEqual({ count: 0 });
    expect(await listed()).toEqual(['theirs']);
  });

  it.each([
    ['neither ids nor filters', {}],
    ['both', { document_ids: ['a'], matching: {} }],
    ['no ids', { document_ids: [] }],
    ['an unknown state', { matching: { status: 'lost' } }],
  ])('are not deleted by a request with %s', async (_, body) => {
    await push({ id: 'a' });
    expect((await post('/documents/delete', body)).status).toBe(400);
    expect(await listed()).toEqual(['a']);
  });

  it('come as files, each answered in its place', async () => {
    const send = () =>
      sendFiles(
        millrace,
        '/documents/files',
        [
          ['notes/bees.md', '# Bees\n\nThey dance.'],
          ['empty.txt', ''],
          ['noise.bin', Buffer.alloc(4_096, 1)],
          ['plain.txt', 'Honey keeps for years.'],
        ],
        { key: workspace.key },
      );
    const { status, body } = await send();
    expect([status, body.accepted, body.failed]).toEqual([200, 2, 2]);
    expect(body.results).toMatchObject([
      { file_name: 'notes/bees.md', document_id: 'notes/bees.md', already_existed: false },
      { file_name: 'empty.txt', error_code: 'BAD_REQUEST', detail: 'empty.txt is empty.' },
      { file_name: 'noise.bin', error_code: 'BAD_REQUEST' },
      { file_name: 'plain.txt', document_id: 'plain.txt' },
    ]);
    await millrace.settled(workspace.key);
    expect((await get('/service-api/ingestion/notes%2Fbees.md')).body).toMatchObject({
      semantic_identifier: 'Bees',
      source: 'file',
      status: 'indexed',
    });
    const { body: found } = await post('/search', { query: 'how long does honey keep' });
    expect(found.results[0].document_id).toBe('plain.txt');
    expect((await send()).body.results[0].already_existed).toBe(true);
  });

  it('of a form without files, and of one with another field, are refused', async () => {
    const empty = await sendFiles(millrace, '/documents/files', [], { fields: { a: 'b' } });
    expect([empty.status, empty.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    const form = new FormData();
    form.append('file', new Blob(['text']), 'a.txt');
    const response = await fetch(`${millrace.url}/documents/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${workspace.key}` },
      body: form,
    });
    expect(response.status).toBe(400);
    expect(await listed()).toEqual([]);
  });
});

it('a file that is larger than a document may be is refused, and its neighbours are kept', async () => {
  await using small = await startTestMillrace({ MAX_DOCUMENT_BYTES: '2000000' });
  const { body } = await sendFiles(small, '/documents/files', [
    ['large.txt', 'x '.repeat(1_500_000)],
    ['small.txt', 'A small one.'],
  ]);
  expect(body).toMatchObject({
    accepted: 1,
    results: [
      { file_name: 'large.txt', error_code: 'BAD_REQUEST' },
      { file_name: 'small.txt', document_id: 'small.txt' },
    ],
  });
  expect(body.results[0].detail).toContain('larger than 2 MB');
});
