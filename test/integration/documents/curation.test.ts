import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { insertPair } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';

let millrace: TestMillrace;
let admin: TestUser;
let otherAdmin: TestUser;
let member: TestUser;
let reader: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  admin = await openWorkspace(millrace);
  otherAdmin = await addUser(millrace, admin, 'admin');
  member = await addUser(millrace, admin, 'member');
  reader = await addUser(millrace, admin, 'read');
});
afterAll(() => millrace[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown, user: TestUser = admin) =>
  millrace.call(method, path, body, { key: user.key });

async function push(id: string, text: string, pairId?: number): Promise<void> {
  const document = {
    id,
    semantic_identifier: `Page ${id}`,
    sections: [{ text }],
    metadata: { page: id },
  };
  const body = pairId === undefined ? { document } : { document, cc_pair_id: pairId };
  const { status } = await call('POST', '/service-api/ingestion', body, otherAdmin);
  expect(status).toBe(200);
  await millrace.settled(admin.key);
}

const curate = (id: string, body: object, user: TestUser = admin) =>
  call('PATCH', `/service-api/ingestion/${id}`, body, user);
const found = async (query: string): Promise<string[]> => {
  const { body } = await call('POST', '/search', { query }, reader);
  return body.results.map((hit: { document_id: string }) => hit.document_id);
};

describe('a hidden document', () => {
  it('vanishes from search, tags and answers at once, stays listed, and comes back', async () => {
    await push('otter-a', 'The otter sleeps in the holt.');
    await push('otter-b', 'An otter eats crabs in the river.');
    const { status, body } = await curate('otter-a', { hidden: true });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ hidden: true, boost: 0, status: 'indexed' }),
    ]);
    expect(await found('where does the otter sleep')).toEqual(['otter-b']);
    const tags = await call('GET', '/query/valid-tags?match_pattern=otter-a');
    expect(tags.body.tags).toEqual([]);
    const answer = await call('POST', '/chat/send-chat-message', {
      message: 'Where does the otter sleep?',
      stream: false,
    });
    expect(answer.text).not.toContain('holt');
    const listed = await call('GET', '/service-api/ingestion');
    expect(listed.body.documents.filter((one: { hidden: boolean }) => one.hidden)).toMatchObject([
      { document_id: 'otter-a' },
    ]);
    await curate('otter-a', { hidden: false });
    expect(await found('where does the otter sleep')).toContain('otter-a');
  });

  it('stays hidden when it is edited, and is an ordinary one after it was deleted and sent again', async () => {
    await push('heron', 'The heron stands still.');
    await curate('heron', { hidden: true, boost: 7 });
    await push('heron', 'The heron stands on one leg.');
    expect(await found('heron leg')).not.toContain('heron');
    await call('DELETE', '/service-api/ingestion/heron', undefined, otherAdmin);
    await push('heron', 'The heron came back.');
    expect(await found('heron')).toContain('heron');
    const { body } = await call('GET', '/service-api/ingestion/heron');
    expect(body).toMatchObject({ boost: 0, hidden: false });
  });
});

describe('a boost', () => {
  it('is shown in hits and listings, and survives an edit', async () => {
    await push('newt', 'A newt is in the pond.');
    expect((await curate('newt', { boost: 3 })).body).toMatchObject({ boost: 3, hidden: false });
    await push('newt', 'Two newts are in the pond.');
    const { body } = await call('POST', '/search', { query: 'newts pond' });
    expect(body.results[0]).toMatchObject({ document_id: 'newt', boost: 3, hidden: false });
  });
});

describe('the endpoints of existing clients', () => {
  it('set both, and list what is set by boost', async () => {
    for (const id of ['toad-a', 'toad-b', 'toad-c']) await push(id, `The toad ${id}.`);
    const low = { document_id: 'toad-a', boost: -50 };
    expect((await call('POST', '/api/manage/admin/doc-boosts', low)).body).toBe(null);
    await call('POST', '/api/manage/admin/doc-boosts', { document_id: 'toad-b', boost: 50 });
    await call('POST', '/api/manage/admin/doc-hidden', { document_id: 'toad-c', hidden: true });
    const list = async (query: string) => {
      const { body } = await call('GET', `/api/manage/admin/doc-boosts${query}`);
      return body
        .map((one: { document_id: string }) => one.document_id)
        .filter((id: string) => id.startsWith('toad'));
    };
    expect(await list('')).toEqual(['toad-b', 'toad-c', 'toad-a']);
    expect(await list('?ascending=true')).toEqual(['toad-a', 'toad-c', 'toad-b']);
    const { body } = await call('GET', '/api/manage/admin/doc-boosts?limit=1');
    expect(body).toEqual([
      { document_id: 'toad-b', semantic_id: 'Page toad-b', link: '', boost: 50, hidden: false },
    ]);
  });
});

describe('curating is refused', () => {
  it.each<[object, string]>([
    [{}, 'needs boost or hidden'],
    [{ boost: 101 }, 'body.boost'],
    [{ boost: -101 }, 'body.boost'],
    [{ boost: 0.5 }, 'body.boost'],
    [{ hidden: 'yes' }, 'body.hidden'],
  ])('for %j', async (body, words) => {
    const refused = await curate('otter-a', body);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(words);
  });

  it('for everybody but administrators', async () => {
    for (const user of [member, reader]) {
      expect((await curate('otter-a', { hidden: true }, user)).status).toBe(403);
      expect((await call('GET', '/manage/admin/doc-boosts', undefined, user)).status).toBe(403);
    }
  });

  it('for a document that is unknown, or private to another administrator', async () => {
    const pairId = await insertPair(
      millrace.services.db,
      admin.workspaceId,
      'Mine',
      otherAdmin.userId,
    );
    await sql`update cc_pair set access_type = 'private' where id = ${pairId}`.execute(
      millrace.services.db,
    );
    await push('diary', 'The diary of the other.', pairId);
    expect((await curate('diary', { boost: 9 }, otherAdmin)).status).toBe(200);
    for (const id of ['diary', 'none-such']) {
      expect((await curate(id, { hidden: true })).status).toBe(404);
      const body = { document_id: id, boost: 1 };
      expect((await call('POST', '/manage/admin/doc-boosts', body)).status).toBe(404);
    }
    expect((await call('GET', '/manage/admin/doc-boosts')).text).not.toContain('diary');
    expect((await call('GET', '/manage/admin/doc-boosts', undefined, otherAdmin)).text).toContain(
      'diary',
    );
  });
});
