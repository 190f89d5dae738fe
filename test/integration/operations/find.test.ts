import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertColleague } from '#test/support/colleague-keys.ts';
import { type SeededWorkspace, seedWorkspace } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const PRIVATE = 'quokkarium';

let millrace: TestMillrace;
let own: SeededWorkspace;
let other: { workspaceId: string; key: string };
let colleague: string;

beforeAll(async () => {
  millrace = await startTestMillrace();
  own = await seedWorkspace(millrace, 'zanzibarium');
  other = await millrace.createWorkspace();
  const { db } = millrace.services;
  colleague = (await insertColleague(db, own.workspaceId)).keys.admin;
  const document = { id: 'diary', semantic_identifier: PRIVATE, sections: [{ text: 'Mine.' }] };
  await millrace.call(
    'POST',
    '/service-api/ingestion',
    { document: { ...document, metadata: {} }, cc_pair_id: own.pairId },
    { key: own.adminKey },
  );
  await millrace.settled(own.adminKey);
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function find(q: string, key = own.adminKey): Promise<{ kind: string; id: string }[]> {
  const { status, body } = await millrace.call(
    'GET',
    `/find?q=${encodeURIComponent(q)}`,
    undefined,
    {
      key,
    },
  );
  expect(status, q).toBe(200);
  return body.results;
}

const kinds = async (q: string, key?: string) =>
  new Set((await find(q, key)).map((one) => one.kind));

/** One row of each kind, with what it is found by. */
async function known(): Promise<[string, string][]> {
  const { rows } = await sql<{ kind: string; q: string }>`
    select 'document' as kind, external_id as q from document where workspace_id = ${own.workspaceId}
    union select 'document', semantic_identifier from document where workspace_id = ${own.workspaceId}
    union select 'connector', name from cc_pair
      where workspace_id = ${own.workspaceId} and connector_id is not null
    union select 'connector', id::text from cc_pair
      where workspace_id = ${own.workspaceId} and connector_id is not null
    union select 'run', id::text from index_attempt where workspace_id = ${own.workspaceId}
    union select 'endpoint', id::text from webhook_endpoint
      where workspace_id = ${own.workspaceId} and deleted_at is null
    union select 'endpoint', url from webhook_endpoint
      where workspace_id = ${own.workspaceId} and deleted_at is null
    union select 'delivery', id::text from webhook_delivery where workspace_id = ${own.workspaceId}
    union select 'delivery', webhook_event_id from webhook_delivery
      where workspace_id = ${own.workspaceId}
    union select 'message', id::text from email_message where workspace_id = ${own.workspaceId}
    union select 'message', recipient from email_message where workspace_id = ${own.workspaceId}
    union select 'account', upper(email) from email_account where workspace_id = ${own.workspaceId}
    union select 'account', id::text from email_account where workspace_id = ${own.workspaceId}
    union select 'scrape', id::text from lead_scrape where workspace_id = ${own.workspaceId}
    union select 'scrape', query from lead_scrape where workspace_id = ${own.workspaceId}`.execute(
    millrace.services.db,
  );
  return rows.map(({ kind, q }) => [kind, q]);
}

describe('the finder', () => {
  it('finds every kind by id, title and address, and never for another workspace', async () => {
    const things = await known();
    expect(new Set(things.map(([kind]) => kind)).size).toBe(8);
    for (const [kind, q] of things) {
      expect(await kinds(q), `${kind} ${q}`).toContain(kind);
      expect(await find(q, other.key), `${kind} ${q}`).toEqual([]);
    }
  });

  it('finds a private document for its owner alone', async () => {
    await sql`update cc_pair set access_type = 'private' where id = ${own.pairId}`.execute(
      millrace.services.db,
    );
    for (const q of ['diary', PRIVATE, PRIVATE.slice(0, 5)]) {
      expect(await kinds(q), q).toContain('document');
      expect(await kinds(q, colleague), q).not.toContain('document');
    }
    await sql`update document set status = 'failed' where external_id = 'diary'`.execute(
      millrace.services.db,
    );
    expect(await kinds(PRIVATE.slice(2, 6))).toContain('document');
    expect(await kinds(PRIVATE.slice(2, 6), colleague)).not.toContain('document');
  });

  it('finds jobs for operators alone', async () => {
    const [queue] = millrace.services.producer.openQueues();
    const job = await queue?.add('sought', {}, { delay: 3_600_000 });
    const id = job?.id ?? '';
    const hit = { kind: 'job', id, subject: { kind: 'job', id: `${queue?.name}/${id}` } };
    expect(await find(id, millrace.adminKey)).toContainEqual(expect.objectContaining(hit));
    expect(await kinds(id)).not.toContain('job');
    await job?.remove();
  });

  it.each([
    '%',
    '_%',
    '%%%',
    String.raw`\\`,
    "' or 1=1 --",
    '"',
    'a:* & !b',
    '9'.repeat(15),
    '9'.repeat(200),
    '(',
    '\u{1F400}',
  ])('takes %j for text', async (q) => {
    expect(await find(q)).toEqual([]);
  });

  it.each([
    ['', 'q'],
    [' ', 'q'],
    ['x'.repeat(201), 'q'],
    ['x'.repeat(10_240), ''],
    ['a\0b', 'NUL'],
  ])('refuses a text that is empty, too long or holds NUL: %#', async (q, word) => {
    const path = `/find?q=${encodeURIComponent(q)}`;
    const { status, body } = await millrace.call('GET', path, undefined, { key: own.adminKey });
    expect(status).toBe(400);
    expect(body.detail).toContain(word);
  });
});
