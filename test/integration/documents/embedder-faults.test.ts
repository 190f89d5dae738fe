// @module-tag processes
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendUnfinished } from '#src/documents/reconcile-documents.ts';
import { createApiClient } from '#test/support/api-client.ts';
import { chooseFixedPort, type ServiceProcess, startProcess } from '#test/support/child-process.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/support/fake-embeddings.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import {
  migrateTestDatabase,
  startTestMillrace,
  type TestMillrace,
} from '#test/support/test-millrace.ts';
import { untilRecovered } from '#test/support/until.ts';

const SHUTDOWN_SECONDS = 2;
/** The job deadline, the grace periods for the abort and the store, and closing the rest. */
const EXIT_MS = SHUTDOWN_SECONDS * 1_000 + 28_000;

let embeddings: FakeEmbeddings;

beforeAll(async () => {
  embeddings = await startFakeEmbeddings();
});
afterAll(() => embeddings[Symbol.asyncDispose]());
beforeEach(() => {
  embeddings.fault = () => null;
});

const batchOf = (texts: Record<string, string>) => ({
  documents: Object.entries(texts).map(([id, text]) => ({
    document: { id, semantic_identifier: id, sections: [{ text }], metadata: {} },
  })),
});

describe('an unreliable embedding provider', () => {
  let millrace: TestMillrace;
  beforeAll(async () => {
    millrace = await startTestMillrace(embeddings.settings);
  });
  afterAll(() => millrace[Symbol.asyncDispose]());

  const ingest = (texts: Record<string, string>) =>
    millrace.call('POST', '/service-api/ingestion/batch', batchOf(texts));
  const status = async (id: string) =>
    (await millrace.call('GET', `/service-api/ingestion/${id}`)).body;

  it('costs no attempt when it asks to retry later', async () => {
    let refusals = 0;
    embeddings.fault = () => {
      refusals += 1;
      return refusals > 3 ? null : { status: 429, retryAfter: '1', message: 'Slow down.' };
    };
    await ingest({ 'later-1': 'A text about patience.', 'later-2': 'Another one.' });
    await untilRecovered(async () => (await status('later-1')).error?.includes('Slow down.'));
    expect(await status('later-1')).toMatchObject({ status: 'accepted', attempts: 0 });
    await millrace.settled();
    expect(refusals).toBeGreaterThan(3);
    for (const id of ['later-1', 'later-2']) {
      expect(await status(id)).toMatchObject({ status: 'indexed', attempts: 1, error: null });
    }
  });

  it('fails only the document that it rejects, with its own message', async () => {
    embeddings.fault = (texts) =>
      texts.some((text) => text.includes('nightshade'))
        ? { status: 400, message: 'This input is not allowed here.' }
        : null;
    await ingest({ good: 'A text about roses.', bad: 'About nightshade.', fine: 'About tulips.' });
    await millrace.settled();
    expect(await status('bad')).toMatchObject({ status: 'failed', chunk_count: 0 });
    expect((await status('bad')).error).toContain('This input is not allowed here.');
    for (const id of ['good', 'fine']) {
      expect(await status(id)).toMatchObject({ status: 'indexed', error: null });
    }
  });

  it('fails only the document that breaks it, and counts those attempts', async () => {
    embeddings.fault = (texts) =>
      texts.some((text) => text.includes('hemlock')) ? { status: 500, message: 'Segfault.' } : null;
    await ingest({ breaker: 'About hemlock.', left: 'About daisies.', right: 'About poppies.' });
    for (const id of ['left', 'right']) {
      await untilRecovered(async () => (await status(id)).status === 'indexed');
    }
    // Waits for a state that stays: the attempt in progress may be handed back and not count.
    await untilRecovered(async () => {
      const { status: state, attempts } = await status('breaker');
      return state === 'accepted' && attempts > 1;
    });
    // The waits between eight attempts take minutes; this skips to the last one.
    await sql`update document set attempts = 7, next_attempt_at = null
      where external_id = 'breaker' and status = 'accepted'`.execute(millrace.services.db);
    await sendUnfinished(millrace.services, new AbortController().signal, 0);
    await millrace.settled();
    const ended = await status('breaker');
    expect(ended).toMatchObject({ status: 'failed', attempts: 8 });
    expect(ended.error).toContain('Segfault.');
  });

  it('costs no attempt while it answers 503', async () => {
    embeddings.fault = () => ({ status: 503, message: 'Restarting.' });
    await ingest({ calm: 'A text for a calm day.' });
    await untilRecovered(async () => (await status('calm')).error?.includes('Restarting.'));
    embeddings.fault = () => null;
    await millrace.settled();
    expect(await status('calm')).toMatchObject({ status: 'indexed', attempts: 1 });
  });

  it('fails nothing while it answers 500 for a while, and finishes when it recovers', async () => {
    embeddings.fault = () => ({ status: 500, message: 'Out of order.' });
    await ingest({ storm: 'A text for a stormy day.' });
    await untilRecovered(async () => (await status('storm')).error?.includes('Out of order.'));
    embeddings.fault = () => null;
    await millrace.settled();
    const { status: state, attempts, error } = await status('storm');
    expect({ state, error }).toEqual({ state: 'indexed', error: null });
    expect(attempts).toBeGreaterThan(1);
  });
});

describe('SIGTERM while the embedding provider is slow', () => {
  it('hands the documents back in time, and another process finishes them', async () => {
    await using opened = new AsyncDisposableStack();
    const environment = opened.use(
      await openTestEnvironment({
        ...embeddings.settings,
        PORT: String(await chooseFixedPort()),
        SHUTDOWN_TIMEOUT_SECONDS: String(SHUTDOWN_SECONDS),
      }),
    );
    const { settings, adminKey, size } = environment;
    await migrateTestDatabase(settings);
    const startWorker = async (): Promise<ServiceProcess> =>
      opened.use(
        await startProcess(size === 'embedded' ? 'src/main.ts' : 'workers/main.ts', settings),
      );
    if (size !== 'embedded') opened.use(await startProcess('src/api.ts', settings));
    const client = createApiClient(`http://127.0.0.1:${settings['PORT']}`, adminKey);
    embeddings.fault = () => ({ hang: true });
    const seen = embeddings.requests.length;
    const first = await startWorker();
    const texts = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`slow-${index}`, `Slow text ${index}.`]),
    );
    expect(
      (await client.call('POST', '/service-api/ingestion/batch', batchOf(texts))).body.accepted,
    ).toBe(20);
    await untilRecovered(() => Promise.resolve(embeddings.requests.length > seen));
    first.signal('SIGTERM');
    expect(await first.ended(EXIT_MS)).toBe(0);
    const list = async () => (await client.call('GET', '/service-api/ingestion')).body.documents;
    if (size !== 'embedded') {
      for (const document of await list()) {
        expect(document).toMatchObject({ status: 'accepted', attempts: 0 });
      }
    }
    embeddings.fault = () => null;
    await startWorker();
    await untilRecovered(async () =>
      (await list()).every((document: { status: string }) => document.status === 'indexed'),
    );
    for (const document of await list()) expect(document.attempts).toBe(1);
  });
});
