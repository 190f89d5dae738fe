import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { up } from '#migrations/0015-bounded-metadata.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const HUGE = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key-${n}`, 'v']));
const SHOWN_BYTES = 8_192;

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const item = (id: string, metadata: object) => ({
  document: {
    id,
    semantic_identifier: `Title of ${id}`,
    sections: [{ text: `The ${id} is about barnacles.` }],
    metadata,
  },
});

describe('a document with too much metadata', () => {
  it('is refused, naming the field and the limit', async () => {
    const { status, body } = await millrace.call(
      'POST',
      '/service-api/ingestion',
      item('refused', HUGE),
    );
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toBe('body.document.metadata: has 20000 keys; the limit is 1000');
  });

  it.each(['application/json', 'application/x-ndjson'])(
    'fails alone in a batch of %s',
    async (type) => {
      const documents = [item('before', {}), item('too much', HUGE), item('after', {})];
      const body =
        type === 'application/json'
          ? JSON.stringify({ documents })
          : documents.map((one) => JSON.stringify(one)).join('\n');
      const answer = await millrace.call('POST', '/service-api/ingestion/batch', body, {
        headers: { 'Content-Type': type },
      });
      const results =
        type === 'application/json'
          ? answer.body.results
          : answer.text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line));
      expect(results).toMatchObject([
        { document_id: 'before' },
        { index: 1, error_code: 'BAD_REQUEST', detail: expect.stringContaining('20000 keys') },
        { document_id: 'after' },
      ]);
    },
  );
});

/** Stores a document as a version without limits did. */
async function storeAsBefore(id: string): Promise<void> {
  const owners = Array.from({ length: 500 }, () => ({ display_name: 'n'.repeat(400) }));
  await sql`update document set metadata = ${JSON.stringify(HUGE)}::json, shown_metadata = null,
      semantic_identifier = ${'Old title '.repeat(200_000)},
      primary_owners = ${JSON.stringify(owners)}::json,
      secondary_owners = ${JSON.stringify([{ display_name: 'n'.repeat(1_000_000) }])}::json
    where external_id = ${id}`.execute(millrace.services.db);
  await migrateAgain();
}

async function migrateAgain(): Promise<void> {
  const { db } = millrace.services;
  await sql`alter table document drop column shown_metadata`.execute(db);
  await sql`alter table index_attempt drop column notes`.execute(db);
  // Migrations are not typed against the tables.
  await up(db as unknown as Kysely<unknown>);
}

describe('search hits', () => {
  it('show the beginning of metadata that is valid but large', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`key-${n}`, 'v'.repeat(200)]),
    );
    await millrace.call('POST', '/service-api/ingestion', item('large', metadata));
    await millrace.settled();
    const filters = { tags: [{ tag_key: 'key-899', tag_value: 'v'.repeat(200) }] };
    const { body } = await millrace.call('POST', '/search', {
      query: 'barnacles',
      search_filters: filters,
    });
    const [hit] = body.results;
    expect(hit.document_id).toBe('large');
    expect(hit.metadata['key-0']).toBe('v'.repeat(200));
    expect(JSON.stringify(hit.metadata).length).toBeLessThanOrEqual(SHOWN_BYTES);
  });

  it('are small whatever was stored before there were limits', async () => {
    await millrace.call('POST', '/service-api/ingestion', item('https://old.example/', {}));
    await millrace.settled();
    await storeAsBefore('https://old.example/');
    const filters = { source_type: ['ingestion_api'] };
    const doors: [string, string, object | undefined][] = [
      ['POST', '/search', { query: 'old.example barnacles', limit: 50 }],
      ['POST', '/admin/search', { query: 'old.example barnacles', filters }],
      ['POST', '/admin/search', { query: '', filters }],
      ['POST', '/search/send-search-message', { search_query: 'old barnacles', stream: false }],
      ['POST', '/chat/send-chat-message', { message: 'What about barnacles?', stream: false }],
      ['GET', '/service-api/ingestion?limit=1000', undefined],
    ];
    for (const [method, path, body] of doors) {
      const answer = await millrace.call(method, path, body);
      const shown = `${method} ${path}: ${answer.text.slice(0, 300)}`;
      expect(answer.status, shown).toBe(200);
      expect(answer.text, shown).toContain('https://old.example/');
      expect(answer.text.length, shown).toBeLessThan(150_000);
    }
    const { body } = await millrace.call('POST', '/search', { query: 'old.example barnacles' });
    const old = body.results.find(
      ({ document_id }: { document_id: string }) => document_id === 'https://old.example/',
    );
    expect(old.semantic_identifier).toHaveLength(1_000);
    expect(old.metadata['key-0']).toBe('v');
    expect(old.primary_owners).toHaveLength(20);
    expect(old.secondary_owners).toBeNull();
  });
});

describe('answers saved before there were limits', () => {
  it('drop large metadata and keep the rest', async () => {
    const { body: answered } = await millrace.call('POST', '/chat/send-chat-message', {
      message: 'Tell me about barnacles.',
      stream: false,
    });
    const documents = [
      { document_id: 'a', metadata: HUGE, blurb: 'b' },
      { document_id: 'c', metadata: { small: 'v' } },
    ];
    const packets = [{ obj: { type: 'search_tool_documents_delta', documents } }];
    await sql`update chat_message set documents = ${JSON.stringify(documents)}::json,
      packets = ${JSON.stringify(packets)}::json where id = ${answered.message_id}`.execute(
      millrace.services.db,
    );
    await migrateAgain();
    const bounded = [{ document_id: 'a', metadata: {}, blurb: 'b' }, documents[1]];
    const { rows } = await sql<{ documents: unknown; packets: unknown }>`
      select documents, packets from chat_message where id = ${answered.message_id}`.execute(
      millrace.services.db,
    );
    expect(rows).toEqual([
      { documents: bounded, packets: [{ obj: { ...packets[0]?.obj, documents: bounded } }] },
    ]);
  });
});
