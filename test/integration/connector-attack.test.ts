import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimRun } from '#src/connectors/claim-run.ts';
import {
  type AnyConnector,
  type ConnectorDocument,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/connector.ts';
import { pausePair, resumePair } from '#src/connectors/control-pair.ts';
import { deletePair } from '#src/connectors/delete-pair.ts';
import { pruneConnector } from '#src/connectors/prune-connector.ts';
import { reconcileConnectors } from '#src/connectors/reconcile-connectors.ts';
import { CONNECTORS } from '#src/connectors/registry.ts';
import { requestDeletion } from '#src/connectors/request-deletion.ts';
import { requestPrune } from '#src/connectors/request-prune.ts';
import { cancelRun, lockOwnPair, requestRun } from '#src/connectors/request-run.ts';
import { SourceUnavailable } from '#src/connectors/source-errors.ts';
import { savePage } from '#src/connectors/save-page.ts';
import { syncConnector } from '#src/connectors/sync-connector.ts';
import { createDocumentAcceptor } from '#src/documents/accept-document.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import type { CcPairId, DocumentId } from '#src/ids.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { Services } from '#src/services.ts';
import {
  insertLinkedPair,
  openTestServices,
  type TestServices,
} from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';

const never = new AbortController().signal;
const REFRESH_SECONDS = 60;

type Page = ConnectorPage<number>;
type Again = Omit<Page, 'checkpoint'>;

/** What the source of the test says next. */
interface Script {
  poll: (from: number | null, context: PollContext, settings: Settings) => AsyncIterable<Page>;
  fetchAgain: (ids: readonly string[]) => AsyncIterable<Again>;
  listIds: () => AsyncIterable<string[]>;
}
const settingsSchema = z.strictObject({ folder: z.string() });
type Settings = z.output<typeof settingsSchema>;

let script: Script;
const scripted = defineConnector<Settings, object, number>({
  kind: 'scripted',
  aliases: [],
  title: 'Scripted',
  summary: 'What the test says.',
  settings: settingsSchema,
  credential: z.strictObject({}),
  checkpoint: z.number(),
  limits: { concurrentRequests: 1, requestsPerSecond: null, documentsPerPage: 100 },
  defaultRefreshSeconds: REFRESH_SECONDS,
  check: () => Promise.resolve(),
  poll: (settings, _credential, from, context) => script.poll(from, context, settings),
  fetchAgain: (_settings, _credential, ids) => script.fetchAgain(ids),
  listIds: () => script.listIds(),
});
// The list is closed for everybody but this test.
(CONNECTORS as AnyConnector[]).push(scripted);

let test: TestServices;
let services: Services;
let pair: CcPairId;
let count = 0;

beforeAll(async () => {
  test = await openTestServices();
  services = test.services;
});
afterAll(() => test[Symbol.asyncDispose]());
beforeEach(async () => {
  count += 1;
  script = { poll: onePage([]), fetchAgain: nothing, listIds: nothing };
  pair = await linkScripted();
});

const linkScripted = () =>
  insertLinkedPair(test, {
    source: 'scripted',
    settings: { folder: 'first' },
    credential: null,
    refreshSeconds: REFRESH_SECONDS,
  });

async function* nothing(): AsyncGenerator<never> {}

const named = (name: string): string => `scripted:${count}:${name}`;

function document(name: string, text = `Text of ${name}.`): ConnectorDocument {
  return {
    id: named(name),
    semanticIdentifier: name,
    title: null,
    sections: [{ text, link: null }],
    metadata: {},
    updatedAt: null,
    primaryOwners: [],
    secondaryOwners: [],
    source: null,
  };
}

/** A poll with these pages; it goes on behind the checkpoint. */
function pages(all: Partial<Page>[]): Script['poll'] {
  return async function* poll(from) {
    for (const [index, page] of all.entries()) {
      if (index < (from ?? 0)) continue;
      yield pageOf({ checkpoint: index + 1, description: '', ...page });
    }
  };
}
const onePage = (documents: ConnectorDocument[]): Script['poll'] => pages([{ documents }]);

const failure = (name: string, reason = 'It is broken.') => ({
  documentId: named(name),
  link: null,
  entityId: null,
  reason,
});

interface Run {
  id: number;
  status: string;
  from_beginning: boolean;
  poll_range_start: Date | null;
  fetched: number;
  accepted: number;
  created: number;
  unchanged: number;
  skipped: number;
  failed: number;
  outages: number;
  resumed_from: number | null;
  waiting_for: string | null;
  next_attempt_at: Date | null;
}

async function runs(): Promise<Run[]> {
  const { rows } = await sql<Run>`
    select * from index_attempt where cc_pair_id = ${pair} order by id`.execute(services.db);
  for (const row of rows) {
    expect(row.fetched).toBe(row.accepted + row.unchanged + row.skipped + row.failed);
  }
  return rows;
}

async function documentsOf(of: CcPairId | null): Promise<string[]> {
  const { rows } = await sql<{ external_id: string }>`
    select d.external_id from document d where d.external_id like ${named('%')}
      and d.status <> 'deleting' and (${of}::int is null or exists (
        select 1 from document_cc_pair l where l.document_id = d.id and l.cc_pair_id = ${of}))
    order by 1`.execute(services.db);
  return rows.map(({ external_id }) => external_id);
}

const which = () => ({ workspaceId: test.workspaceId, ccPairId: pair });
const request = (fromBeginning = false) =>
  requestRun(services, { ...which(), fromBeginning, requestId: null });
async function nextRun(): Promise<void> {
  await request();
  await syncConnector(services, pair, never);
}
async function setFolder(folder: string): Promise<void> {
  await sql`update connector set settings = ${JSON.stringify({ folder })}::json
    where id = (select connector_id from cc_pair where id = ${pair})`.execute(services.db);
}

/** Services whose next `accept` comes only after `before`. */
function acceptingAfter(before: () => Promise<unknown>): Services {
  let done = false;
  return {
    ...services,
    documentAcceptor: {
      ...services.documentAcceptor,
      async accept(incoming) {
        if (!done) {
          done = true;
          await before();
        }
        return services.documentAcceptor.accept(incoming);
      },
    },
  };
}

/** Services whose first page is accepted, and then something happens before it is saved. */
function acceptedBefore(then: () => Promise<unknown>): Services {
  let done = false;
  return {
    ...services,
    documentAcceptor: {
      ...services.documentAcceptor,
      async accept(incoming) {
        const accepted = await services.documentAcceptor.accept(incoming);
        if (!done) {
          done = true;
          await then();
        }
        return accepted;
      },
    },
  };
}

describe('a pair that is deleted while a page is under way', () => {
  it('leaves no document behind, neither in the default pair nor in none', async () => {
    script.poll = onePage([document('late')]);
    const deleting = acceptingAfter(async () => {
      await requestDeletion(services, { ...which(), requestId: null });
      await deletePair(services, pair, never);
    });
    await syncConnector(deleting, pair, never);
    expect(await documentsOf(null)).toEqual([]);
  });

  it('does not take along what is pushed to it meanwhile', async () => {
    await requestDeletion(services, { ...which(), requestId: null });
    const item = ingestionItemSchema.parse({
      document: {
        id: named('pushed'),
        semantic_identifier: 'Pushed',
        sections: [{ text: 'Mine.' }],
      },
      cc_pair_id: pair,
    });
    const { workspaceId } = test;
    await services.documentAcceptor.accept(
      toIncomingDocument(item, { workspaceId, requestId: null, maxBytes: 1_000 }),
    );
    await deletePair(services, pair, never);
    expect(await documentsOf(null)).toEqual([named('pushed')]);
  });

  it('sends its documents in jobs that the workers can read', async () => {
    const sent: number[] = [];
    const producer: Services['producer'] = {
      ...services.producer,
      enqueue(queue, payload) {
        sent.push(queue.payload.safeParse(payload).success ? 1 : 0);
        return Promise.resolve();
      },
    };
    const limit = { takeRoom: () => Promise.resolve() };
    const acceptor = createDocumentAcceptor(services.db, producer, limit, services.log);
    // Ids of documents are numbers in the database.
    const ids = Array.from({ length: 600 }, (_, n) => (n + 1) as DocumentId);
    await acceptor.enqueue(ids, null);
    expect(sent).toEqual([1, 1, 1]);
  });
});

describe('settings that change', () => {
  const twoPages = pages([{ documents: [document('a')] }, { documents: [document('b')] }]);

  it('while a run waits: it makes way for one from the beginning', async () => {
    const seen: [string, number | null][] = [];
    script.poll = async function* poll(from, context, settings) {
      seen.push([settings.folder, from]);
      for await (const page of twoPages(from, context, settings)) {
        yield page;
        if (settings.folder === 'first') throw new SourceUnavailable('Away.');
      }
    };
    await syncConnector(services, pair, never);
    await setFolder('second');
    test.advance(60_000);
    await syncConnector(services, pair, never);
    expect(seen).toEqual([
      ['first', null],
      ['second', null],
    ]);
    expect(await runs()).toMatchObject([
      { status: 'canceled' },
      { status: 'success', from_beginning: true, fetched: 2 },
    ]);
  });

  it('while a run is at work: the next one looks at everything', async () => {
    script.poll = onePage([document('a')]);
    await syncConnector(
      acceptedBefore(() => setFolder('second')),
      pair,
      never,
    );
    await nextRun();
    await nextRun();
    expect(await runs()).toMatchObject([
      { status: 'success' },
      { from_beginning: true, poll_range_start: null },
      { from_beginning: false },
    ]);
  });

  it('and a run that is interrupted after that goes on from its checkpoint', async () => {
    script.poll = twoPages;
    await syncConnector(services, pair, never);
    await setFolder('second');
    script.poll = async function* poll(from, context, settings) {
      for await (const page of twoPages(from, context, settings)) {
        yield page;
        throw new Error('A bug.');
      }
    };
    await nextRun();
    script.poll = twoPages;
    await nextRun();
    const [, failed, last] = await runs();
    expect(failed).toMatchObject({ status: 'failed', from_beginning: true, fetched: 1 });
    expect(last).toMatchObject({
      status: 'success',
      from_beginning: true,
      resumed_from: failed?.id,
      fetched: 1,
    });
  });
});

describe('what failed earlier', () => {
  it('makes the window reach back when it was a part of the source, not one document', async () => {
    const entity = { documentId: null, link: null, entityId: 'folder A', reason: 'Away.' };
    script.poll = pages([
      { documents: ['a', 'b'].map((name) => document(name)), failures: [entity] },
    ]);
    await syncConnector(services, pair, never);
    const windows: (Date | null)[] = [];
    script.poll = async function* poll(_from, { since }) {
      windows.push(since);
      yield pageOf({ checkpoint: 1, description: '', documents: [document('in folder A')] });
    };
    await nextRun();
    await nextRun();
    expect(windows[0]).toBeNull();
    expect(windows[1]).not.toBeNull();
    const { rows } = await sql`select 1 from index_attempt_error
      where cc_pair_id = ${pair} and not is_resolved`.execute(services.db);
    expect(rows).toEqual([]);
  });

  it('is looked back to after many tries, too, only not in every run', async () => {
    const entity = { documentId: null, link: null, entityId: 'folder A', reason: 'Away.' };
    const windows: (Date | null)[] = [];
    script.poll = async function* poll(_from, { since }) {
      windows.push(since);
      yield pageOf({ checkpoint: 1, description: '', failures: [entity] });
    };
    await syncConnector(services, pair, never);
    for (let n = 0; n < 6; n += 1) await nextRun();
    expect(windows.at(-1)).not.toBeNull();
    test.advance(25 * 3_600_000);
    await nextRun();
    expect(windows.at(-1)).toBeNull();
  });

  it('and cannot be fetched does not keep the run from everything else', async () => {
    script.poll = pages([
      { documents: ['a', 'b'].map((name) => document(name)), failures: [failure('x')] },
    ]);
    await syncConnector(services, pair, never);
    // oxlint-disable-next-line require-yield -- it fails before its first page
    script.fetchAgain = async function* fetchAgain() {
      throw new SourceUnavailable('That one answers 500, always.');
    };
    script.poll = onePage([document('new')]);
    await nextRun();
    expect((await runs())[1]).toMatchObject({ status: 'success', fetched: 1 });
    const { rows } = await sql`select is_resolved from index_attempt_error
      where cc_pair_id = ${pair}`.execute(services.db);
    expect(rows).toEqual([{ is_resolved: false }]);
  });

  it('is fetched once in a run, however often the run is interrupted', async () => {
    const failures = ['x', 'y'].map((name) => failure(name));
    script.poll = pages([{ documents: ['a', 'b'].map((name) => document(name)), failures }]);
    await syncConnector(services, pair, never);
    const asked: (readonly string[])[] = [];
    script.fetchAgain = async function* fetchAgain(ids) {
      asked.push(ids);
      for (const id of ids) {
        const again = { ...failure('x'), documentId: id };
        yield pageOf({ checkpoint: 0, description: '', failures: [again] });
        throw new SourceUnavailable('Slow down.', { retryAfterMs: 60_000 });
      }
    };
    await request();
    for (let n = 0; n < 4; n += 1) {
      await syncConnector(services, pair, never);
      test.advance(61_000);
    }
    expect(asked).toEqual([[named('x'), named('y')], [named('y')]]);
    expect((await runs())[1]).toMatchObject({ status: 'completed_with_errors', failed: 2 });
  });

  it('in the index counts against the run that had brought it', async () => {
    script.poll = onePage([document('good'), document('bad')]);
    await syncConnector(services, pair, never);
    script.poll = onePage([]);
    await nextRun();
    await sql`update document set status = 'failed', error = 'No.'
      where external_id = ${named('bad')}`.execute(services.db);
    await reconcileConnectors(services, never);
    expect(await runs()).toMatchObject([
      { status: 'completed_with_errors', accepted: 1, failed: 1 },
      { status: 'success', fetched: 0, failed: 0 },
    ]);
  });
});

describe('odd values of a source', () => {
  it('do not keep a page from being saved', async () => {
    const NUL = '\u0000';
    const cut = `${'x'.repeat(499)}\u{1f600}`;
    script.poll = pages([
      {
        documents: [{ ...document('a'), updatedAt: new Date('no time') }, document('b')],
        skipped: [
          { documentId: null, reason: `odd${NUL}` },
          { documentId: null, reason: cut },
        ],
        failures: [
          { documentId: named(`f${NUL}`), link: NUL, entityId: null, reason: `no${NUL}` },
          { documentId: null, link: null, entityId: `\ud83d${NUL}`, reason: cut },
          { documentId: named(`f${NUL}`), link: null, entityId: null, reason: 'twice' },
        ],
        removed: [`gone${NUL}`],
        memory: [{ key: `k${NUL}`, documentId: null, value: { odd: `${NUL}\ud83d` } }],
        description: `page${NUL}`,
        estimatedTotal: 1e300,
      },
    ]);
    await syncConnector(services, pair, never);
    await nextRun();
    expect((await runs())[0]).toMatchObject({
      status: 'completed_with_errors',
      fetched: 7,
      accepted: 2,
      skipped: 2,
      failed: 3,
    });
    const { rows } = await sql`select document_id, entity_id, message, tries
      from index_attempt_error where cc_pair_id = ${pair} order by id`.execute(services.db);
    expect(rows).toMatchObject([
      { document_id: named('f'), message: 'twice', tries: 2 },
      { entity_id: '\ufffd', tries: 2 },
    ]);
  });

  it('do not make a run come back at once for ever, nor never again', async () => {
    for (const [asked, least, most] of [
      [0, 4_000, 60_000],
      [1e15, 3_600_000, 25 * 3_600_000],
    ] as const) {
      // oxlint-disable-next-line require-yield -- it fails before its first page
      script.poll = async function* poll() {
        throw new SourceUnavailable('Too many requests.', { retryAfterMs: asked });
      };
      await request(true);
      await syncConnector(services, pair, never);
      const at = (await runs()).at(-1)?.next_attempt_at?.getTime() ?? 0;
      expect(at - services.clock().getTime()).toBeGreaterThan(least);
      expect(at - services.clock().getTime()).toBeLessThan(most);
    }
  });

  it('in a listing remove nothing that is there', async () => {
    script.poll = onePage([document('a'), document('b'), document('c')]);
    await syncConnector(services, pair, never);
    script.listIds = async function* listIds() {
      yield [named('a'), `${named('b')}\u0000`, 'long '.repeat(10_000)];
    };
    await requestPrune(services, { ...which(), confirm: null, requestId: null });
    await pruneConnector(services, pair, never);
    expect(await documentsOf(pair)).toEqual([named('a'), named('b')]);
  });
});

describe('a job that runs out of time without a page', () => {
  it('counts as an outage, so that it ends some day', async () => {
    // oxlint-disable-next-line require-yield -- no page comes
    script.poll = async function* poll(_from, { signal }) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const abort = new AbortController();
    const running = syncConnector(services, pair, abort.signal);
    await until(async () => (await runs()).length === 1);
    abort.abort(Object.assign(new Error('It took too long.'), { name: 'JobTimeout' }));
    await expect(running).rejects.toThrow('too long');
    const [run] = await runs();
    expect(run).toMatchObject({ status: 'in_progress', outages: 1 });
    expect(run?.next_attempt_at).not.toBeNull();
  });
});

describe('a run that waits for its source', () => {
  it('goes on at once when somebody asks for it', async () => {
    // oxlint-disable-next-line require-yield -- it fails before its first page
    script.poll = async function* poll() {
      throw new SourceUnavailable('Away.');
    };
    await syncConnector(services, pair, never);
    script.poll = onePage([document('a')]);
    await nextRun();
    expect(await runs()).toMatchObject([{ status: 'success', fetched: 1 }]);
  });
});

describe('a prune beside a sync', () => {
  const prune = async () => {
    await requestPrune(services, { ...which(), confirm: null, requestId: null });
    await pruneConnector(services, pair, never);
  };
  const three = ['a', 'b', 'c'].map((name) => () => document(name));

  it('that removes a document between its acceptance and its saving takes nothing away', async () => {
    script.poll = onePage(three.map((make) => make()));
    await syncConnector(services, pair, never);
    script.listIds = async function* listIds() {
      yield [named('b'), named('c')];
    };
    script.poll = onePage([document('a', 'It is back.')]);
    await request();
    await syncConnector(acceptedBefore(prune), pair, never);
    expect(await documentsOf(pair)).toContain(named('a'));
    expect((await runs())[1]).toMatchObject({ status: 'success', fetched: 1, accepted: 1 });
  });
});

describe('counts after a crash', () => {
  it('know a changed document from a new one and from one that was pushed', async () => {
    script.poll = onePage([document('changed'), document('same')]);
    await syncConnector(services, pair, never);
    const item = ingestionItemSchema.parse({
      document: {
        id: named('p'),
        semantic_identifier: 'p',
        source: 'scripted',
        sections: [{ text: 'Text of p.' }],
      },
      cc_pair_id: pair,
    });
    const { workspaceId } = test;
    await services.documentAcceptor.accept(
      toIncomingDocument(item, { workspaceId, requestId: null, maxBytes: 1_000 }),
    );
    script.poll = onePage([
      document('changed', 'Other.'),
      document('same'),
      document('new'),
      document('p'),
    ]);
    await request();
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
    await expect(syncConnector(dying, pair, stop.signal)).rejects.toThrow('killed');
    await syncConnector(services, pair, never);
    expect((await runs())[1]).toMatchObject({ accepted: 2, created: 1, unchanged: 2 });
  });
});

describe('the schedule', () => {
  it('follows a run that took longer than its period at the next point of the grid', async () => {
    const { rows } = await sql<{ next_run_at: Date }>`
      select next_run_at from cc_pair where id = ${pair}`.execute(services.db);
    const first = rows[0]?.next_run_at.getTime() ?? 0;
    script.poll = async function* poll() {
      test.advance(2.5 * REFRESH_SECONDS * 1_000);
      yield pageOf({ checkpoint: 1, description: '' });
    };
    await syncConnector(services, pair, never);
    script.poll = onePage([]);
    await syncConnector(services, pair, never);
    expect(await runs()).toHaveLength(1);
    const after = await sql<{ next_run_at: Date }>`
      select next_run_at from cc_pair where id = ${pair}`.execute(services.db);
    expect(after.rows[0]?.next_run_at.getTime()).toBe(first + 3 * REFRESH_SECONDS * 1_000);
  });

  it('has a next run after a pause in the middle of a run and a resumption', async () => {
    script.poll = onePage([document('a')]);
    await syncConnector(
      acceptedBefore(() => pausePair(services, which())),
      pair,
      never,
    );
    await resumePair(services, which(), null);
    await syncConnector(services, pair, never);
    expect(await runs()).toMatchObject([{ status: 'canceled' }, { status: 'success' }]);
    const { rows } = await sql`select 1 from cc_pair
      where id = ${pair} and status = 'ACTIVE' and next_run_at is not null`.execute(services.db);
    expect(rows).toHaveLength(1);
  });
});

describe.skipIf(process.env['TEST_DATABASE_URL'] === undefined)(
  'a pause while a page is being saved (needs TEST_DATABASE_URL)',
  () => {
    it('and the saving do not wait for each other', async () => {
      const run = await claimRun(services, pair);
      if (!run) throw new Error('There is no run.');
      const outcome = {
        accepted: [],
        created: 0,
        unchanged: [],
        skipped: [],
        failures: [failure('x')],
        removed: [],
        stored: [],
      };
      const page = { memory: [], description: '', estimatedTotal: null };
      const saved = { checkpoint: { value: 1 }, mayRepeat: false, now: services.clock() };
      let saving: Promise<unknown> = Promise.resolve();
      await services.db.transaction().execute(async (trx) => {
        await lockOwnPair(trx, which());
        saving = savePage(services.db, run, outcome, page, saved).catch((error: unknown) => error);
        await until(async () => {
          const { rows } = await sql`select 1 from pg_locks l
            join pg_stat_activity a using (pid)
            where not l.granted and a.datname = current_database()`.execute(services.db);
          return rows.length > 0;
        });
        await cancelRun(trx, pair, 'Canceled by the test.');
      });
      expect(await saving).toBeInstanceOf(LeaseLost);
      expect(await runs()).toMatchObject([{ status: 'canceled', fetched: 0 }]);
    });
  },
);
