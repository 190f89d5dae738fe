import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import { cancelRun } from '#src/connectors/runs/request-run.ts';
import { CredentialRejected, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { type EmittedEvent, emittedEvents, insertEndpoint } from '#test/support/emitted-events.ts';
import {
  interrupted,
  linkScripted,
  pages,
  type Script,
  type ScriptedPair,
} from '#test/support/scripted-pair.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

// Services without workers, so emitted events stay in the rows.
const never = new AbortController().signal;

let test: TestServices;
let services: Services;
let endpoint: WebhookEndpointId;
let scripted: ScriptedPair;

beforeAll(async () => {
  test = await openTestServices();
  services = test.services;
  endpoint = await insertEndpoint(services, { workspaceId: test.workspaceId });
});
afterAll(() => test[Symbol.asyncDispose]());
beforeEach(async () => {
  scripted = await linkScripted(test);
});

const sync = (with_: Services = services) => syncConnector(with_, scripted.pair, never);

/** Events of the test's own pair. */
async function told(): Promise<EmittedEvent[]> {
  const events = await emittedEvents(services.db, test.workspaceId);
  return events.filter(({ data }) => data.cc_pair_id === scripted.pair);
}

const documents = (count: number) =>
  Array.from({ length: count }, (_, n) => scripted.document(`d${n}`));

/** A source that returns one page and then throws this error. */
function failingWith(error: Error): Script['poll'] {
  return async function* poll(from, context, settings) {
    if (from === null) yield* pages([{ documents: documents(2) }])(from, context, settings);
    throw error;
  };
}

describe('a run that ends normally', () => {
  it('is reported with its counts and the time it ended', async () => {
    scripted.script.poll = pages([
      { documents: documents(3), skipped: [{ documentId: 'x', reason: 'too large' }] },
      { documents: [scripted.document('last')] },
    ]);
    await sync();
    const [run] = await scripted.runs();
    const [event, ...others] = await told();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'connector.sync.completed', endpoints: [endpoint] });
    const { rows } = await sql<{ name: string; source: string; started: Date; finished: Date }>`
      select p.name, p.source, a.started_at as started, a.finished_at as finished
      from cc_pair p join index_attempt a on a.cc_pair_id = p.id
      where p.id = ${scripted.pair}`.execute(services.db);
    expect(event?.data).toEqual({
      cc_pair_id: scripted.pair,
      name: rows[0]?.name,
      source: rows[0]?.source,
      index_attempt_id: run?.id,
      status: 'success',
      documents_fetched: 5,
      documents_accepted: 4,
      documents_unchanged: 0,
      documents_skipped: 1,
      documents_failed: 0,
      started_at: rows[0]?.started.toISOString(),
      finished_at: rows[0]?.finished.toISOString(),
    });
    expect(event?.timestamp).toBe(rows[0]?.finished.toISOString());
  });

  it('is reported even when it found nothing new', async () => {
    scripted.script.poll = pages([]);
    await sync();
    expect(await told()).toMatchObject([
      { data: { status: 'success', documents_fetched: 0, documents_accepted: 0 } },
    ]);
  });

  it('is reported once each time', async () => {
    scripted.script.poll = pages([{ documents: documents(2) }]);
    await sync();
    await scripted.nextRun();
    await sync();
    const accepted = (await told()).map(({ data }) => data.documents_accepted);
    expect(accepted).toEqual([2, 0]);
  });

  it('with a few failed documents is reported as completed with errors', async () => {
    scripted.script.poll = pages([
      { documents: documents(2), failures: [scripted.failure('broken')] },
    ]);
    await sync();
    expect(await told()).toMatchObject([
      {
        type: 'connector.sync.completed',
        data: { status: 'completed_with_errors', documents_fetched: 3, documents_failed: 1 },
      },
    ]);
  });

  it('with too many failed documents is reported as failed', async () => {
    const failures = Array.from({ length: 5 }, (_, n) => scripted.failure(`broken ${n}`));
    scripted.script.poll = pages([{ documents: documents(2), failures }]);
    await sync();
    const [event] = await told();
    expect(event).toMatchObject({
      type: 'connector.sync.failed',
      data: { documents_fetched: 7, documents_failed: 5, paused: false },
    });
    expect(event?.data.error).toContain('5 of 7 documents failed');
  });

  it('wakes a worker once the rows are committed', async () => {
    const sent: unknown[] = [];
    const producer: Services['producer'] = {
      ...services.producer,
      async enqueueMany(queue, payloads, options) {
        if (queue.name === webhookDeliver.name) sent.push(payloads, (await told()).length);
        await services.producer.enqueueMany(queue, payloads, options);
      },
    };
    await sync({ ...services, producer });
    expect(sent).toEqual([[{ endpointId: endpoint }], 1]);
  });

  it('has ended even when no job can be sent, and the event waits in its row', async () => {
    const producer: Services['producer'] = {
      ...services.producer,
      enqueueMany: () => Promise.reject(new Error('The queue is unavailable.')),
    };
    await sync({ ...services, producer });
    expect(await scripted.runs()).toMatchObject([{ status: 'success' }]);
    expect(await told()).toMatchObject([{ endpoints: [endpoint] }]);
  });
});

describe('a run that fails', () => {
  it('is reported with its reason and its progress', async () => {
    scripted.script.poll = failingWith(new Error('It answers nonsense.'));
    await sync();
    const [event] = await told();
    expect(event).toMatchObject({
      type: 'connector.sync.failed',
      endpoints: [endpoint],
      data: { documents_fetched: 2, documents_accepted: 2, paused: false },
    });
    expect(event?.data.error).toContain('It answers nonsense.');
  });

  it('because of its credential is reported as paused', async () => {
    scripted.script.poll = failingWith(new CredentialRejected('The token has expired.'));
    await sync();
    const [event] = await told();
    expect(event).toMatchObject({ type: 'connector.sync.failed', data: { paused: true } });
    expect(event?.data.error).toContain('The token has expired.');
  });

  it('because its source stayed unavailable is reported when it is given up, not before', async () => {
    scripted.script.poll = failingWith(new SourceUnavailable('It is away.'));
    await sync();
    expect(await told()).toEqual([]);
    for (let n = 0; n < 20 && (await scripted.runs()).at(-1)?.status !== 'failed'; n += 1) {
      test.advance(20 * 60_000);
      await sync();
    }
    expect(await told()).toMatchObject([
      { type: 'connector.sync.failed', data: { paused: false } },
    ]);
  });

  it('because its workers died is reported by the worker that gives it up', async () => {
    scripted.script.poll = failingWith(new SourceUnavailable('It is away.'));
    await sync();
    await sql`update index_attempt set outages = 1000, next_attempt_at = null
      where cc_pair_id = ${scripted.pair}`.execute(services.db);
    await sync();
    expect(await told()).toMatchObject([{ type: 'connector.sync.failed' }]);
  });
});

describe('a run that does not end on its own', () => {
  it('is not reported when it was canceled during its work', async () => {
    scripted.script.poll = pages([{ documents: documents(2) }]);
    const cancel = () => cancelRun(services.db, scripted.pair, 'Canceled by the test.');
    await sync(interrupted(services, 'after', cancel));
    expect(await scripted.runs()).toMatchObject([{ status: 'canceled' }]);
    expect(await told()).toEqual([]);
  });

  it('is not reported when it fails after it was canceled', async () => {
    scripted.script.poll = async function* poll() {
      yield* [];
      await cancelRun(services.db, scripted.pair, 'Canceled by the test.');
      throw new CredentialRejected('The token has expired.');
    };
    await sync();
    expect(await scripted.runs()).toMatchObject([{ status: 'canceled' }]);
    expect(await told()).toEqual([]);
  });

  it('has not ended when its event cannot be written', async () => {
    scripted.script.poll = pages([{ documents: documents(2) }]);
    await sql`create function refuse_event() returns trigger language plpgsql
      as 'begin raise exception ''The disk is full.''; end'`.execute(services.db);
    await sql`create trigger refuse before insert on webhook_event
      execute function refuse_event()`.execute(services.db);
    try {
      await expect(sync()).rejects.toThrow('The disk is full.');
    } finally {
      await sql`drop function refuse_event cascade`.execute(services.db);
    }
    expect(await scripted.runs()).toMatchObject([{ status: 'in_progress' }]);
    test.advance(60 * 60_000);
    await sync();
    expect(await scripted.runs()).toMatchObject([{ status: 'success', fetched: 2 }]);
    expect(await told()).toMatchObject([{ data: { documents_fetched: 2 } }]);
  });
});
