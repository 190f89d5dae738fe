// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#src/platform/database.ts';
import { readLive } from '#test/support/read-live.ts';
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
    const topics = ['overview', 'queues', 'workers', 'alarms', 'documents', 'webhooks'];
    const { response, text } = await firstEvents(`/live?topics=${topics.join()}`, topics.length);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const addresses: Record<string, string> = {
      overview: '/overview',
      documents: '/service-api/ingestion/stats',
      webhooks: '/webhook-endpoints',
    };
    for (const topic of topics) {
      const data = new RegExp(`event: ${topic}\nid: .*\ndata: (.*)\n`).exec(text)?.[1] ?? '{}';
      const path = addresses[topic] ?? `/operations/${topic}`;
      const { at: _, ...shown } = JSON.parse(data) as Record<string, unknown>;
      const { at: __, ...asked } = (await get(path)).body;
      expect(Object.keys(shown), topic).toEqual(Object.keys(asked));
    }
  });

  it.each([
    ['of operators', '/live?topics=queues', 403],
    ['about a queue', '/live?topics=queue:document-index', 403],
    ['about a job, there or not,', '/live?topics=job:document-index/99999', 403],
    ['of a form that does not exist', '/live?topics=webhook', 400],
    ['that do not exist', '/live?topics=nope', 400],
  ])('refuses topics %s before it begins', async (_, path, status) => {
    expect((await get(path, other.key)).status).toBe(status);
  });

  it.each([
    'queue:nope',
    'job:nope/1',
    'job:document-index',
    'job:document-index/99999',
    'job:document-index/meta',
    'webhook:1',
    'delivery:1',
    'connector:1',
    'document:nope',
    'user-file:nope',
  ])('refuses %s, which is not there', async (topic) => {
    expect((await get(`/live?topics=${topic}`)).status).toBe(404);
  });

  it.each(['connector:one', 'connector:0', 'document:%25'])(
    'refuses %s, which cannot be one',
    async (topic) => {
      expect((await get(`/live?topics=${topic}`)).status).toBe(400);
    },
  );

  it('tells a job what its address answers, also to observers', async () => {
    const path = '/operations/queues/file-sweep/jobs';
    const { jobs } = (await get(`${path}?state=delayed`)).body;
    const id = jobs[0].job_id as string;
    const { body: job } = await get(`${path}/${encodeURIComponent(id)}`);
    const topic = `job:file-sweep/${id}`;
    const observer = await createKey(millrace, millrace.adminKey, 'observer');
    for (const key of [millrace.adminKey, observer.key]) {
      const { byTopic } = await readLive(millrace, [topic], key);
      expect(byTopic.get(topic)).toMatchObject(job);
    }
  });

  it('tells an endpoint with its deliveries and a delivery with its attempts, to its workspace alone', async () => {
    const { body: endpoint } = await millrace.call('POST', '/webhook-endpoints', {
      url: 'https://hooks.invalid/',
    });
    const test = `/webhook-endpoints/${endpoint.id}/test`;
    const { body: sent } = await millrace.call('POST', test, {});
    const names = [`webhook:${endpoint.id}`, `delivery:${sent.delivery_id}`];
    const read = async () => {
      const { text } = await firstEvents(`/live?topics=${names.join()}`, 2);
      return names.map((name) => {
        const data = new RegExp(`event: ${name}\nid: .*\ndata: (.*)\n`).exec(text)?.[1];
        return JSON.parse(data ?? '{}');
      });
    };
    await expect.poll(read).toMatchObject([
      {
        endpoint: { id: endpoint.id },
        deliveries: [{ id: sent.delivery_id }],
        next_cursor: null,
      },
      { delivery: { id: sent.delivery_id }, attempts: [{ outcome: 'failed' }] },
    ]);
    for (const name of names) {
      expect((await get(`/live?topics=${name}`, other.key)).status, name).toBe(404);
    }
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

  it('names failing endpoints, waiting runs, unverified accounts, and recent failures', async () => {
    const { db } = millrace.services;
    const { workspaceId, key } = await millrace.createWorkspace();
    const document = { id: 'damaged', sections: [{ text: 'A text.' }], semantic_identifier: 'A' };
    await millrace.call('POST', '/service-api/ingestion', { document }, { key });
    await millrace.settled(key);
    await sql`update document set status = 'failed', error = 'The file is damaged.'
      where workspace_id = ${workspaceId}`.execute(db);
    await seedTroubles(db, workspaceId);
    const { attention, failures_last_day, failures_by_hour, minutes } = (
      await get('/overview', key)
    ).body;
    const said = attention.map((one: { level: string; text: string; subject: { kind: string } }) =>
      [one.level, one.subject.kind, one.text].join(' '),
    );
    expect(said).toEqual([
      'danger account The sender account a@example.com could not be verified: 535 refused',
      'warning connector The connector "Slow wiki" waits for its source: The source answered 503.',
      'warning endpoint The webhook endpoint https://a.example/ failed 3 times in a row.',
      'warning account 2 messages of a@example.com could not be sent in the last day. The latest: 550 no such user',
      'warning documents 1 document could not be indexed in the last day: The file is damaged.',
    ]);
    expect(failures_last_day).toMatchObject([
      { kind: 'document', count: 1 },
      { kind: 'message', count: 3 },
    ]);
    expect(failures_by_hour).toHaveLength(24);
    expect(failures_by_hour.reduce((sum: number, each: number) => sum + each, 0)).toBe(4);
    expect([minutes.indexed.length, minutes.searches.length]).toEqual([60, 60]);
    const others = (await get('/overview', other.key)).body.attention;
    expect(JSON.stringify(others)).not.toContain('Slow wiki');
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

/** One problem of each kind, and next to each a case that is not one yet. */
async function seedTroubles(db: Database, workspaceId: string): Promise<void> {
  await sql`insert into webhook_endpoint (id, workspace_id, url, secret, failures, failing_since)
    values (gen_random_uuid(), ${workspaceId}, 'https://a.example/', 'x', 3, now()),
      (gen_random_uuid(), ${workspaceId}, 'https://b.example/', 'x', 2, now())`.execute(db);
  for (const [name, minutes] of [
    ['Slow wiki', 3],
    ['Brief wiki', 1],
  ] as const) {
    await sql`with made as (insert into connector (workspace_id, name, source, kind, input_type,
        access_type, settings) values (${workspaceId}, ${name}, 'web', 'web', 'poll', 'public', '{}')
        returning id),
      pair as (insert into cc_pair (workspace_id, name, source, connector_id, status)
        select ${workspaceId}, ${name}, 'web', id, 'ACTIVE' from made returning id)
      insert into index_attempt (workspace_id, cc_pair_id, status, poll_range_end, settings_hash,
        waiting_for, outages, started_at)
      select ${workspaceId}, id, 'in_progress', now(), 'x', 'The source answered 503.', 4,
        now() - make_interval(mins => ${minutes}) from pair`.execute(db);
  }
  await sql`with account as (insert into email_account (id, workspace_id, email, smtp_host, smtp_port,
      smtp_user, smtp_password, verification_token)
      values (gen_random_uuid(), ${workspaceId}, 'a@example.com', 'smtp.example.com', 465, 'a', 'x', 'y')
      returning id)
    insert into email_message (id, workspace_id, email_account_id, kind, status, recipient,
      settings_revision, error, finished_at)
    select gen_random_uuid(), ${workspaceId}, account.id, m.kind, 'failed', 'b@example.com', 1, m.error,
      now() - make_interval(mins => m.age)
    from account, (values ('verification', '535 refused', 1), ('message', '550 no such user', 2),
      ('message', '450 later', 3), ('message', '451 yesterday', 2000)) as m(kind, error, age)`.execute(
    db,
  );
}
