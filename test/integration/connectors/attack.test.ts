// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimRun } from '#src/connectors/runs/claim-run.ts';
import { pageOf } from '#src/connectors/source/connector.ts';
import { pausePair, resumePair } from '#src/connectors/administration/control-pair.ts';
import { deletePair } from '#src/connectors/administration/delete-pair.ts';
import { pruneConnector } from '#src/connectors/runs/prune-connector.ts';
import { requestDeletion } from '#src/connectors/administration/request-deletion.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { cancelRun, lockOwnPair } from '#src/connectors/runs/request-run.ts';
import { savePage } from '#src/connectors/runs/save-page.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import { createDocumentAcceptor } from '#src/documents/accept-document.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import type { DocumentId } from '#src/ids.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { Services } from '#src/services.ts';
import {
  interrupted,
  linkScripted,
  pages,
  type Script,
  type ScriptedPair,
} from '#test/support/scripted-pair.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';

const never = new AbortController().signal;

let test: TestServices;
let services: Services;
let scripted: ScriptedPair;

beforeAll(async () => {
  test = await openTestServices();
  services = test.services;
});
afterAll(() => test[Symbol.asyncDispose]());
beforeEach(async () => {
  scripted = await linkScripted(test);
});

describe('a pair that is deleted while a page is in progress', () => {
  it('leaves no document behind, in the default pair or in any other', async () => {
    scripted.script.poll = pages([{ documents: [scripted.document('late')] }]);
    const deleting = interrupted(services, 'before', async () => {
      await requestDeletion(services, { ...scripted.which, requestId: null });
      await deletePair(services, scripted.pair, never);
    });
    await syncConnector(deleting, scripted.pair, never);
    expect(await scripted.documents('anywhere')).toEqual([]);
  });

  it('does not delete a document pushed to it in the meantime', async () => {
    await requestDeletion(services, { ...scripted.which, requestId: null });
    const item = ingestionItemSchema.parse({
      document: {
        id: scripted.named('pushed'),
        semantic_identifier: 'Pushed',
        sections: [{ text: 'Mine.' }],
      },
      cc_pair_id: scripted.pair,
    });
    const { workspaceId } = test;
    await services.documentAcceptor.accept(
      toIncomingDocument(item, { workspaceId, writer: null, requestId: null, maxBytes: 1_000 }),
    );
    await deletePair(services, scripted.pair, never);
    expect(await scripted.documents('anywhere')).toEqual([scripted.named('pushed')]);
  });
});

describe('more documents than one job may name', () => {
  it('are enqueued in several jobs that the workers can read', async () => {
    const sent: number[] = [];
    const producer: Services['producer'] = {
      ...services.producer,
      enqueue(queue, payload) {
        sent.push(queue.payload.safeParse(payload).success ? 1 : 0);
        return Promise.resolve();
      },
    };
    const limit = { reserveRoom: () => Promise.resolve() };
    const acceptor = createDocumentAcceptor(services.db, producer, limit, services.log);
    // Document ids are numbers in the database.
    const ids = Array.from({ length: 600 }, (_, n) => (n + 1) as DocumentId);
    await acceptor.enqueue(ids, null);
    expect(sent).toEqual([1, 1, 1]);
  });
});

describe('a change of settings', () => {
  const twoPages: Script['poll'] = (from, context, settings) =>
    pages(['a', 'b'].map((name) => ({ documents: [scripted.document(name)] })))(
      from,
      context,
      settings,
    );

  it('during a waiting run replaces it with a run from the beginning', async () => {
    const seen: [string, number | null][] = [];
    scripted.script.poll = async function* poll(from, context, settings) {
      seen.push([settings.folder, from]);
      for await (const page of twoPages(from, context, settings)) {
        yield page;
        if (settings.folder === 'first') throw new SourceUnavailable('Away.');
      }
    };
    await syncConnector(services, scripted.pair, never);
    await scripted.setFolder('second');
    test.advance(60_000);
    await syncConnector(services, scripted.pair, never);
    expect(seen).toEqual([
      ['first', null],
      ['second', null],
    ]);
    expect(await scripted.runs()).toMatchObject([
      { status: 'canceled' },
      { status: 'success', from_beginning: true, fetched: 2 },
    ]);
  });

  it('during an active run makes the next run start from the beginning', async () => {
    scripted.script.poll = pages([{ documents: [scripted.document('a')] }]);
    await syncConnector(
      interrupted(services, 'after', () => scripted.setFolder('second')),
      scripted.pair,
      never,
    );
    await scripted.nextRun();
    await scripted.nextRun();
    expect(await scripted.runs()).toMatchObject([
      { status: 'success' },
      { from_beginning: true, poll_range_start: null },
      { from_beginning: false },
    ]);
  });

  it('lets an interrupted run resume from its checkpoint afterwards', async () => {
    scripted.script.poll = twoPages;
    await syncConnector(services, scripted.pair, never);
    await scripted.setFolder('second');
    scripted.script.poll = async function* poll(from, context, settings) {
      for await (const page of twoPages(from, context, settings)) {
        yield page;
        throw new Error('A bug.');
      }
    };
    await scripted.nextRun();
    scripted.script.poll = twoPages;
    await scripted.nextRun();
    const [, failed, last] = await scripted.runs();
    expect(failed).toMatchObject({ status: 'failed', from_beginning: true, fetched: 1 });
    expect(last).toMatchObject({
      status: 'success',
      from_beginning: true,
      resumed_from: failed?.id,
      fetched: 1,
    });
  });
});

describe('a prune during a sync', () => {
  const prune = async () => {
    await requestPrune(services, { ...scripted.which, confirm: null, requestId: null });
    await pruneConnector(services, scripted.pair, never);
  };

  it('that removes a document between acceptance and saving does not lose it', async () => {
    scripted.script.poll = pages([
      { documents: ['a', 'b', 'c'].map((name) => scripted.document(name)) },
    ]);
    await syncConnector(services, scripted.pair, never);
    scripted.script.listIds = async function* listIds() {
      yield [scripted.named('b'), scripted.named('c')];
    };
    scripted.script.poll = pages([{ documents: [scripted.document('a', 'It is back.')] }]);
    await scripted.request();
    await syncConnector(interrupted(services, 'after', prune), scripted.pair, never);
    expect(await scripted.documents('pair')).toContain(scripted.named('a'));
    expect((await scripted.runs())[1]).toMatchObject({
      status: 'success',
      fetched: 1,
      accepted: 1,
    });
  });
});

describe('counts after a crash', () => {
  it('distinguish changed documents from new and pushed ones', async () => {
    scripted.script.poll = pages([
      { documents: [scripted.document('changed'), scripted.document('same')] },
    ]);
    await syncConnector(services, scripted.pair, never);
    const item = ingestionItemSchema.parse({
      document: {
        id: scripted.named('p'),
        semantic_identifier: 'p',
        source: 'scripted',
        sections: [{ text: 'Text of p.' }],
      },
      cc_pair_id: scripted.pair,
    });
    const { workspaceId } = test;
    await services.documentAcceptor.accept(
      toIncomingDocument(item, { workspaceId, writer: null, requestId: null, maxBytes: 1_000 }),
    );
    scripted.script.poll = pages([
      {
        documents: [
          scripted.document('changed', 'Other.'),
          scripted.document('same'),
          scripted.document('new'),
          scripted.document('p'),
        ],
      },
    ]);
    await scripted.request();
    const stop = new AbortController();
    const dying: Services = {
      ...services,
      documentAcceptor: {
        ...services.documentAcceptor,
        async accept(incoming) {
          await services.documentAcceptor.accept(incoming);
          stop.abort(new Error('killed'));
          throw new Error('killed');
        },
      },
    };
    await expect(syncConnector(dying, scripted.pair, stop.signal)).rejects.toThrow('killed');
    await syncConnector(services, scripted.pair, never);
    expect((await scripted.runs())[1]).toMatchObject({ accepted: 2, created: 1, unchanged: 2 });
  });
});

describe('the schedule', () => {
  it('resumes at the next point of its grid after a run longer than its period', async () => {
    const first = await scripted.nextRunAt();
    scripted.script.poll = async function* poll() {
      test.advance(150_000);
      yield pageOf({ checkpoint: 1, description: '' });
    };
    await syncConnector(services, scripted.pair, never);
    scripted.script.poll = pages([{ documents: [] }]);
    await syncConnector(services, scripted.pair, never);
    expect(await scripted.runs()).toHaveLength(1);
    expect(await scripted.nextRunAt()).toBe(first + 180_000);
  });

  it('has a next run after a pause during a run and a resume', async () => {
    scripted.script.poll = pages([{ documents: [scripted.document('a')] }]);
    await syncConnector(
      interrupted(services, 'after', () => pausePair(services, scripted.which)),
      scripted.pair,
      never,
    );
    await resumePair(services, scripted.which, null);
    await syncConnector(services, scripted.pair, never);
    expect(await scripted.runs()).toMatchObject([{ status: 'canceled' }, { status: 'success' }]);
    expect(await scripted.nextRunAt()).toBeGreaterThan(services.clock().getTime());
  });
});

describe.skipIf(process.env['TEST_DATABASE_URL'] === undefined)(
  'a pause while a page is being saved (needs TEST_DATABASE_URL)',
  () => {
    it('does not deadlock with the save', async () => {
      const run = await claimRun(services, scripted.pair);
      if (!run) throw new Error('No run could be claimed.');
      const outcome = {
        accepted: [],
        created: 0,
        unchanged: [],
        skipped: [],
        notes: [],
        failures: [scripted.failure('x')],
        removed: [],
        stored: [],
      };
      const page = { memory: [], description: '', estimatedTotal: null };
      const saved = { checkpoint: { value: 1 }, mayRepeat: false, now: services.clock() };
      let saving: Promise<unknown> = Promise.resolve();
      await services.db.transaction().execute(async (trx) => {
        await lockOwnPair(trx, scripted.which);
        saving = savePage(services.db, run, outcome, page, saved).catch((error: unknown) => error);
        await until(async () => {
          const { rows } = await sql`select 1 from pg_locks l
            join pg_stat_activity a using (pid)
            where not l.granted and a.datname = current_database()`.execute(services.db);
          return rows.length > 0;
        });
        await cancelRun(trx, scripted.pair, 'Canceled by the test.');
      });
      expect(await saving).toBeInstanceOf(LeaseLost);
      expect(await scripted.runs()).toMatchObject([{ status: 'canceled', fetched: 0 }]);
    });
  },
);
