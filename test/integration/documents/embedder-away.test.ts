import { expect, it } from 'vitest';
import { startFakeEmbeddings } from '#test/support/fake-embeddings.ts';
import { startTestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

it('search matches words while the embedding endpoint is down, and never reveals its address', async () => {
  const embeddings = await startFakeEmbeddings();
  await using millrace = await startTestMillrace({ ...embeddings.settings, LOG_LEVEL: 'silent' });
  const post = (id: string, text: string) =>
    millrace.call('POST', '/service-api/ingestion', {
      document: { id, semantic_identifier: id, sections: [{ text }] },
    });
  await post('newts', 'Newts grow their limbs again.');
  await millrace.settled();
  await embeddings[Symbol.asyncDispose]();

  const { status, body } = await millrace.call('POST', '/search', { query: 'newts and limbs' });
  expect(status).toBe(200);
  expect(body.results[0].document_id).toBe('newts');

  await post('later', 'This one has to wait for its vectors.');
  const later = async () => (await millrace.call('GET', '/service-api/ingestion/later')).body;
  await until(async () => (await later()).error !== null);
  const { attempts, error } = await later();
  expect(attempts).toBe(0);
  expect(error).toMatch(/cannot be reached/);
  expect(error).not.toContain('127.0.0.1');
});
