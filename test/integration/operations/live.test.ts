// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertPerson, signIn } from '#test/support/seed-people.ts';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let other: { workspaceId: string; key: string };
beforeAll(async () => {
  millrace = await startTestMillrace();
  other = await millrace.createWorkspace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const get = async (path: string, key = millrace.adminKey) =>
  millrace.call('GET', path, undefined, { key });

async function firstEvents(path: string, count: number, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  const response = await fetch(`${millrace.url}${path}`, {
    headers: { Authorization: `Bearer ${millrace.adminKey}`, ...headers },
    signal: controller.signal,
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('event: ').length > count) break;
  }
  controller.abort();
  return { response, text };
}

describe('the stream', () => {
  it('brings each topic in the shape of its address', async () => {
    const { response, text } = await firstEvents('/live?topics=overview,queues,workers,alarms', 4);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    for (const topic of ['overview', 'queues', 'workers', 'alarms']) {
      const data = new RegExp(`event: ${topic}\nid: .*\ndata: (.*)\n`).exec(text)?.[1] ?? '{}';
      const path = topic === 'overview' ? '/overview' : `/operations/${topic}`;
      const { at: _, ...shown } = JSON.parse(data) as Record<string, unknown>;
      const { at: __, ...asked } = (await get(path)).body;
      expect(Object.keys(shown), topic).toEqual(Object.keys(asked));
    }
  });

  it.each([
    ['of operators', '/live?topics=queues', 403],
    ['that do not exist', '/live?topics=nope', 400],
  ])('refuses topics %s before it begins', async (_, path, status) => {
    expect((await get(path, other.key)).status).toBe(status);
  });

  it('refuses queues that do not exist', async () => {
    expect((await get('/live?topics=queue:nope')).status).toBe(404);
  });
});

describe('an open stream', () => {
  it('ends with the membership, the role, the session or the key that opened it, and no other does', async () => {
    const { db } = millrace.services;
    const { rows } = await sql<{ id: string }>`
      select id from workspace where is_bootstrap`.execute(db);
    const operators = rows[0]?.id ?? '';
    const operator = async () => {
      const person = await insertPerson(millrace.services, operators, 'admin');
      return { ...person, browser: await signIn(millrace, person.personEmail) };
    };
    const [removed, demoted, leaving, staying] = [
      await operator(),
      await operator(),
      await operator(),
      await operator(),
    ];
    const key = await createKey(millrace, millrace.adminKey, 'observer');
    const controller = new AbortController();
    let ended = 0;
    const follow = async (headers: Record<string, string>): Promise<void> => {
      const { signal } = controller;
      const response = await fetch(`${millrace.url}/live?topics=workers`, { headers, signal });
      const reader = response.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      void (async () => {
        while ((await reader?.read())?.done === false);
        ended += 1;
      })().catch(() => undefined);
    };
    for (const { browser } of [removed, demoted, leaving, staying]) {
      await follow({ Cookie: browser.cookies });
    }
    await follow({ Authorization: `Bearer ${key.key}` });
    await millrace.call('DELETE', `/account/members/${removed.personMemberId}`);
    await millrace.call('PATCH', `/account/members/${demoted.personMemberId}`, { role: 'read' });
    await leaving.browser.call('POST', '/auth/sign-out');
    await millrace.call('DELETE', `/account/api-keys/${key.id}`);
    await until(() => Promise.resolve(ended === 4));
    await staying.browser.call('POST', '/auth/sign-out');
    await until(() => Promise.resolve(ended === 5));
    controller.abort();
  });
});

describe('the overview', () => {
  it('counts only what belongs to the workspace, and tells operators the alarms', async () => {
    const { db } = millrace.services;
    await sql`insert into queue_alarm (queue, kind, message, since, raised_at)
      values ('lead-scrape', 'no_worker', 'No worker serves lead-scrape.', now(), now())`.execute(
      db,
    );
    await sql`with made as (insert into connector (workspace_id, name, source, kind, input_type,
        access_type, settings) values (${other.workspaceId}, 'Wiki', 'web', 'web', 'poll', 'public', '{}')
        returning id)
      insert into cc_pair (workspace_id, name, source, connector_id, status, failed_runs)
      select ${other.workspaceId}, 'Wiki', 'web', id, 'ACTIVE', 3 from made`.execute(db);
    const own = await get('/overview');
    const theirs = await get('/overview', other.key);
    expect(own.body.attention).toMatchObject([{ kind: 'alarm', level: 'danger' }]);
    expect(theirs.body.attention).toMatchObject([
      { kind: 'connector', text: 'The connector "Wiki" failed 3 times: the reason is not known' },
    ]);
    expect(theirs.body.documents.indexed).toBe(0);
  });

  it('is for keys that may read', async () => {
    const reader = await createKey(millrace, other.key, 'read');
    expect((await get('/overview', reader.key)).status).toBe(200);
    const pusher = await createKey(millrace, other.key, 'ingest');
    expect((await get('/overview', pusher.key)).status).toBe(403);
  });
});

describe('why a document is searchable', () => {
  it('is answered in a sentence, for the workspace of the document alone', async () => {
    await millrace.call('POST', '/service-api/ingestion', {
      document: {
        id: 'a document/with a slash',
        semantic_identifier: 'A',
        sections: [{ text: 'Words about mills.' }],
        source: 'file',
        metadata: {},
      },
    });
    await millrace.settled();
    const path = `/documents/${encodeURIComponent('a document/with a slash')}/why`;
    expect((await get(path)).body).toMatchObject({
      searchable: true,
      status: 'indexed',
      sentence: 'It is searchable.',
    });
    expect((await get(path, other.key)).status).toBe(404);
  });
});
