import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isVisibleTo, privateToOthers } from '#src/documents/document-access.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Role } from '#src/tables/accounts.ts';
import { insertColleague } from '#test/support/colleague-keys.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const WRITING_ROLES: Role[] = ['admin', 'member', 'ingest'];

let millrace: TestMillrace;
let workspaceId: string;
let own: string;
let owner: string;
let colleague: { userId: UserId; keys: Record<Role, string> };
let secretPair: number;
let openPair: number;

beforeAll(async () => {
  millrace = await startTestMillrace();
  ({ workspaceId, key: own } = await millrace.createWorkspace());
  const { db } = millrace.services;
  colleague = await insertColleague(db, workspaceId);
  owner = await ownerOf(db, workspaceId);
  secretPair = await insertPair(db, workspaceId, 'Secret', owner);
  openPair = await insertPair(db, workspaceId, 'Open', owner);
  await sql`update cc_pair set access_type = 'PRIVATE' where id = ${secretPair}`.execute(db);
  for (const [id, pair] of [
    ['secret', secretPair],
    ['open', openPair],
    ['both', secretPair],
    ['both', openPair],
  ] as const) {
    await push(own, id, { cc_pair_id: pair });
  }
  await millrace.settled(own);
});
afterAll(() => millrace[Symbol.asyncDispose]());

function push(key: string, id: string | null, rest: object = {}, text = `The walrus is ${id}.`) {
  const document = { id, semantic_identifier: id ?? 'walrus', sections: [{ text }] };
  return millrace.call('POST', '/service-api/ingestion', { document, ...rest }, { key });
}

const get = (key: string, path: string) => millrace.call('GET', path, undefined, { key });

async function found(key: string): Promise<string[]> {
  const { body } = await millrace.call('POST', '/search', { query: 'walrus' }, { key });
  return body.results.map((hit: { document_id: string }) => hit.document_id).toSorted();
}

async function listed(key: string, query = ''): Promise<string[]> {
  const { body } = await get(key, `/service-api/ingestion${query}`);
  return body.documents.map((one: { document_id: string }) => one.document_id).toSorted();
}

async function pairsOf(id: string): Promise<number[]> {
  const { body } = await get(own, `/service-api/ingestion/${id}`);
  return body.cc_pair_ids;
}

describe('a private pair', () => {
  it('can be searched and listed by its owner', async () => {
    expect(await found(own)).toEqual(['both', 'open', 'secret']);
    expect(await listed(own)).toEqual(['both', 'open', 'secret']);
  });

  it("is hidden from a colleague's answers, except documents that a public pair also has", async () => {
    expect(await found(colleague.keys.read)).toEqual(['both', 'open']);
    const { text } = await millrace.call(
      'POST',
      '/chat/send-chat-message',
      { message: 'What is the walrus?', stream: false },
      { key: colleague.keys.read },
    );
    expect(text).toContain('walrus');
    expect(text).not.toContain('secret');
  });

  it.each(WRITING_ROLES)('is not listed for a colleague with the role %s', async (role) => {
    const key = colleague.keys[role];
    expect(await listed(key)).toEqual(['both', 'open']);
    expect(await listed(key, `?cc_pair_id=${secretPair}`)).toEqual(['both']);
    const one = await get(key, '/service-api/ingestion/secret');
    expect([one.status, one.body.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  it.each(WRITING_ROLES)('cannot be changed by a colleague with the role %s', async (role) => {
    const key = colleague.keys[role];
    const overwritten = await push(key, 'secret', {}, 'Overwritten.');
    const planted = await push(key, `planted-${role}`, { cc_pair_id: secretPair });
    const path = '/service-api/ingestion/secret';
    const deleted = await millrace.call('DELETE', path, undefined, { key });
    expect([overwritten, planted, deleted].map(({ status }) => status)).toEqual([403, 403, 404]);
    expect(overwritten.body.detail).toMatch(
      /"secret" belongs to another user.*another document id/,
    );
    expect(planted.body.detail).toMatch(/^cc_pair_id \d+ belongs to another user/);
    expect((await get(own, path)).body).toMatchObject({ revision: 1, status: 'indexed' });
    expect(await listed(own, `?cc_pair_id=${secretPair}`)).toEqual(['both', 'secret']);
  });

  it('fails alone in a batch', async () => {
    const of = (id: string) => ({
      document: { id, semantic_identifier: id, sections: [{ text: 'Of a batch.' }] },
    });
    const { body } = await millrace.call(
      'POST',
      '/service-api/ingestion/batch',
      { documents: [of('batch-1'), of('secret'), of('batch-2')] },
      { key: colleague.keys.ingest },
    );
    expect(body.results.map((one: { error_code?: string }) => one.error_code)).toEqual([
      undefined,
      'UNAUTHORIZED',
      undefined,
    ]);
    for (const id of ['batch-1', 'batch-2']) {
      await millrace.call('DELETE', `/service-api/ingestion/${id}`, undefined, { key: own });
    }
    await millrace.settled(own);
  });

  it('hides its contents and errors from admins who do not own it', async () => {
    const { db } = millrace.services;
    await sql`with run as (
        insert into index_attempt (workspace_id, cc_pair_id, status, poll_range_end, settings_hash)
        values (${workspaceId}, ${secretPair}, 'completed_with_errors', now(), '') returning id)
      insert into index_attempt_error
        (workspace_id, cc_pair_id, index_attempt_id, stage, document_id, document_link, message)
      select ${workspaceId}, ${secretPair}, id, 'fetch', 'diary', 'https://diary.test/', 'The diary is locked.'
      from run`.execute(db);
    await sql`with made as (
        insert into connector (workspace_id, name, source, kind, input_type, access_type, settings)
        values (${workspaceId}, 'Secret', 'web', 'web', 'poll', 'private', '{}') returning id)
      update cc_pair set connector_id = (select id from made) where id = ${secretPair}`.execute(db);
    const path = `/manage/admin/cc-pair/${secretPair}`;
    const told = async (key: string) =>
      (await get(key, `${path}/errors`)).text +
      (await get(key, `${path}/get-docs-sync-status`)).text;
    expect(await told(own)).toMatch(/diary is locked[^]*"secret"/);
    expect(await told(colleague.keys.admin)).toMatch(/private to another user[^]*"both"/);
    expect(await told(colleague.keys.admin)).not.toMatch(/diary|"secret"/);
  });
});

describe('another user’s public pair', () => {
  it('accepts documents from ingest and admin keys, but not from member keys', async () => {
    const statuses = async (act: (key: string) => Promise<{ status: number }>) => {
      const answers = [];
      for (const role of WRITING_ROLES) answers.push((await act(colleague.keys[role])).status);
      return answers;
    };
    expect(await statuses((key) => push(key, 'open', {}, 'The walrus is still open.'))).toEqual([
      200, 403, 200,
    ]);
    const member = colleague.keys.member;
    const path = '/service-api/ingestion/open';
    expect((await millrace.call('DELETE', path, undefined, { key: member })).status).toBe(403);
    expect(await pairsOf('open')).toEqual([openPair]);
    await millrace.settled(own);
  });
});

describe('a document in several pairs', () => {
  it('stays private when its owner updates it without naming a pair', async () => {
    await push(own, 'secret', {}, 'The walrus is secret, and tired.');
    expect(await pairsOf('secret')).toEqual([secretPair]);
    await millrace.settled(own);
    expect(await found(colleague.keys.read)).not.toContain('secret');
  });

  it('becomes private once a private pair has changed it, whoever had it before', async () => {
    await push(colleague.keys.ingest, 'guessed', {}, 'I wait for the walrus.');
    expect(await listed(colleague.keys.ingest)).toContain('guessed');
    await push(own, 'guessed', { cc_pair_id: secretPair }, 'I wait for the walrus.');
    expect(await listed(colleague.keys.ingest)).toContain('guessed'); // the text was the same before
    const item = ingestionItemSchema.parse({
      document: {
        id: 'guessed',
        semantic_identifier: 'guessed',
        sections: [{ text: 'The walrus confides.' }],
      },
      cc_pair_id: secretPair,
    });
    // As a connector run does.
    const context = { writer: null, requestId: null, maxBytes: 1_000 };
    const incoming = toIncomingDocument(item, {
      ...context,
      workspaceId: workspaceId as WorkspaceId,
    });
    await millrace.services.documentAcceptor.accept({ ...incoming, needsPair: true });
    expect(await pairsOf('guessed')).toEqual([secretPair]);
    await millrace.settled(own);
    expect(await listed(colleague.keys.ingest)).not.toContain('guessed');
    expect(await found(colleague.keys.read)).not.toContain('guessed');
    expect(await found(own)).toContain('guessed');
  });
});

it('visibility is the same checked row by row and as a set', async () => {
  const { db } = millrace.services;
  const orphaned = await insertPair(db, workspaceId, 'Orphaned', owner);
  await push(own, 'orphan', { cc_pair_id: orphaned });
  await sql`update cc_pair set created_by = null, access_type = 'private'
    where id = ${orphaned}`.execute(db);
  expect(await listed(own)).not.toContain('orphan');
  for (const user of [owner as UserId, colleague.userId]) {
    const { rows } = await sql<{ row: boolean; set: boolean }>`
      select ${isVisibleTo('d', user)} as row,
        d.id not in (${privateToOthers(workspaceId as WorkspaceId, user)}) as set
      from document d where workspace_id = ${workspaceId}`.execute(db);
    expect(rows.length).toBeGreaterThan(3);
    for (const { row, set } of rows) expect(row).toBe(set);
  }
});

it('documents with different titles stay separate, and the same title updates', async () => {
  const { db } = millrace.services;
  const pushTitle = async (title: string) => {
    const document = { semantic_identifier: title, sections: [{ text: `Of ${title}.` }] };
    const { body } = await millrace.call(
      'POST',
      '/service-api/ingestion',
      { document },
      { key: own },
    );
    return [body.document_id, body.already_existed];
  };
  expect(await pushTitle('Plan A')).toEqual(['ingestion_api_Plan_A', false]);
  expect(await pushTitle('Plan_A')).toEqual(['ingestion_api_Plan%5FA', false]);
  expect(await pushTitle('Plan A')).toEqual(['ingestion_api_Plan_A', true]);
  expect(await pushTitle('Plan_A')).toEqual(['ingestion_api_Plan%5FA', true]);
  // As an earlier version stored it.
  await push(own, 'ingestion_api_Plan_B');
  await sql`update document set semantic_identifier = 'Plan_B'
    where external_id = 'ingestion_api_Plan_B'`.execute(db);
  expect(await pushTitle('Plan_B')).toEqual(['ingestion_api_Plan_B', true]);
  const [other, existed] = await pushTitle('Plan B');
  expect([other, existed]).toEqual([expect.stringMatching(/^ingestion_api_title_/), false]);
  expect(await pushTitle('Plan B')).toEqual([other, true]);
  expect(await pushTitle('Plan_B')).toEqual(['ingestion_api_Plan_B', true]);
});
