// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

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
