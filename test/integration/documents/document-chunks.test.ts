import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
  await millrace.call('POST', '/service-api/ingestion', {
    document: {
      id: 'a/b',
      semantic_identifier: 'Bees',
      sections: [
        { text: 'First section.' },
        { text: 'Second section.', link: 'https://b.example/' },
      ],
      source: 'file',
      metadata: {},
    },
  });
  await millrace.settled();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const ADDRESS = '/service-api/ingestion/a%2Fb';

it('shows the chunks of a document in order, in pages', async () => {
  const { body: whole } = await millrace.call('GET', `${ADDRESS}/chunks`);
  expect(whole.next_from).toBeNull();
  expect(whole.chunks.map((chunk: { ordinal: number }) => chunk.ordinal)).toEqual([0, 1]);
  expect(whole.chunks[1]).toMatchObject({ text: 'Second section.', link: 'https://b.example/' });
  const { body: first } = await millrace.call('GET', `${ADDRESS}/chunks?limit=1`);
  expect(first).toMatchObject({ chunks: [{ text: 'First section.' }], next_from: 1 });
  const { body: second } = await millrace.call('GET', `${ADDRESS}/chunks?limit=1&from=1`);
  expect(second).toMatchObject({ chunks: [{ text: 'Second section.' }], next_from: null });
});

it('does not show the chunks of a document that is unknown', async () => {
  expect((await millrace.call('GET', '/service-api/ingestion/c/chunks')).status).toBe(404);
  expect((await millrace.call('POST', '/service-api/ingestion/c/retry')).status).toBe(404);
});

it('indexes a failed document anew, and refuses one that has not failed', async () => {
  expect((await millrace.call('POST', `${ADDRESS}/retry`)).status).toBe(409);
  await sql`update document set status = 'failed', attempts = 8, error = 'embedder away'`.execute(
    millrace.services.db,
  );
  const { status, body } = await millrace.call('POST', `${ADDRESS}/retry`);
  expect([status, body]).toEqual([202, { document_id: 'a/b', status: 'accepted' }]);
  await millrace.settled();
  const { body: after } = await millrace.call('GET', ADDRESS);
  expect(after).toMatchObject({ status: 'indexed', error: null });
});
