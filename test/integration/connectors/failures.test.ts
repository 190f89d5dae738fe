import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { METADATA_CUT } from '#src/connectors/runs/bound-document.ts';
import { pageOf } from '#src/connectors/source/connector.ts';
import { pruneConnector } from '#src/connectors/runs/prune-connector.ts';
import { reconcileConnectors } from '#src/connectors/runs/reconcile-connectors.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { Services } from '#src/services.ts';
import { linkScripted, pages, type ScriptedPair } from '#test/support/scripted-pair.ts';
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

describe('an earlier failure', () => {
  it('of part of the source makes the window reach back', async () => {
    const entity = { documentId: null, link: null, entityId: 'folder A', reason: 'Away.' };
    scripted.script.poll = pages([
      { documents: ['a', 'b'].map((name) => scripted.document(name)), failures: [entity] },
    ]);
    await syncConnector(services, scripted.pair, never);
    const windows: (Date | null)[] = [];
    scripted.script.poll = async function* poll(_from, { since }) {
      windows.push(since);
      yield pageOf({
        checkpoint: 1,
        description: '',
        documents: [scripted.document('in folder A')],
      });
    };
    await scripted.nextRun();
    await scripted.nextRun();
    expect(windows[0]).toBeNull();
    expect(windows[1]).not.toBeNull();
    const { rows } = await sql`select 1 from index_attempt_error
      where cc_pair_id = ${scripted.pair} and not is_resolved`.execute(services.db);
    expect(rows).toEqual([]);
  });

  it('that persists still makes the window reach back, but not in every run', async () => {
    const entity = { documentId: null, link: null, entityId: 'folder A', reason: 'Away.' };
    const windows: (Date | null)[] = [];
    scripted.script.poll = async function* poll(_from, { since }) {
      windows.push(since);
      yield pageOf({ checkpoint: 1, description: '', failures: [entity] });
    };
    await syncConnector(services, scripted.pair, never);
    for (let n = 0; n < 6; n += 1) await scripted.nextRun();
    expect(windows.at(-1)).not.toBeNull();
    test.advance(25 * 3_600_000);
    await scripted.nextRun();
    expect(windows.at(-1)).toBeNull();
  });

  it('that cannot be fetched again does not stop the run from fetching everything else', async () => {
    scripted.script.poll = pages([
      {
        documents: ['a', 'b'].map((name) => scripted.document(name)),
        failures: [scripted.failure('x')],
      },
    ]);
    await syncConnector(services, scripted.pair, never);
    // oxlint-disable-next-line require-yield -- it fails before its first page
    scripted.script.fetchAgain = async function* fetchAgain() {
      throw new SourceUnavailable('That one answers 500, always.');
    };
    scripted.script.poll = pages([{ documents: [scripted.document('new')] }]);
    await scripted.nextRun();
    expect((await scripted.runs())[1]).toMatchObject({ status: 'success', fetched: 1 });
    const { rows } = await sql`select is_resolved from index_attempt_error
      where cc_pair_id = ${scripted.pair}`.execute(services.db);
    expect(rows).toEqual([{ is_resolved: false }]);
  });

  it('is fetched again once per run, however often the run is interrupted', async () => {
    const failures = ['x', 'y'].map((name) => scripted.failure(name));
    scripted.script.poll = pages([
      { documents: ['a', 'b'].map((name) => scripted.document(name)), failures },
    ]);
    await syncConnector(services, scripted.pair, never);
    scripted.script.poll = pages([]);
    const asked: (readonly string[])[] = [];
    scripted.script.fetchAgain = async function* fetchAgain(ids) {
      asked.push(ids);
      for (const id of ids) {
        const again = { ...scripted.failure('x'), documentId: id };
        yield pageOf({ checkpoint: 0, description: '', failures: [again] });
        throw new SourceUnavailable('Slow down.', { retryAfterMs: 60_000 });
      }
    };
    await scripted.request();
    for (let n = 0; n < 3; n += 1) {
      await syncConnector(services, scripted.pair, never);
      test.advance(61_000);
    }
    expect(asked).toEqual([[scripted.named('x'), scripted.named('y')], [scripted.named('y')]]);
    expect((await scripted.runs())[1]).toMatchObject({
      status: 'completed_with_errors',
      failed: 2,
    });
  });

  it('in the index counts against the run that brought the document', async () => {
    const link = 'https://source.example/bad';
    const bad = { ...scripted.document('bad'), sections: [{ text: 'Bad.', link }] };
    scripted.script.poll = pages([{ documents: [scripted.document('good'), bad] }]);
    await syncConnector(services, scripted.pair, never);
    scripted.script.poll = pages([{ documents: [] }]);
    await scripted.nextRun();
    await sql`update document set status = 'failed', error = 'No.'
      where external_id = ${scripted.named('bad')}`.execute(services.db);
    await reconcileConnectors(services, never);
    expect(await scripted.runs()).toMatchObject([
      { status: 'completed_with_errors', accepted: 1, failed: 1 },
      { status: 'success', fetched: 0, failed: 0 },
    ]);
    const { rows } = await sql`select document_id, document_link from index_attempt_error
      where cc_pair_id = ${scripted.pair}`.execute(services.db);
    expect(rows).toEqual([{ document_id: scripted.named('bad'), document_link: link }]);
  });
});

describe('a document that becomes too large or empty', () => {
  it('is not remembered as if it had been stored', async () => {
    const huge = scripted.document('grown', 'x'.repeat(services.config.MAX_DOCUMENT_BYTES + 1));
    const memory = [{ key: 'version', documentId: scripted.named('grown'), value: 2 }];
    scripted.script.poll = pages([{ documents: [scripted.document('grown', 'Small.')] }]);
    await syncConnector(services, scripted.pair, never);
    let recalled: unknown = null;
    scripted.script.poll = async function* poll(_from, context) {
      recalled = (await context.recall(['version'])).get('version');
      yield pageOf({ checkpoint: 1, description: '', documents: [huge], memory });
    };
    await scripted.nextRun();
    await scripted.nextRun();
    expect(recalled).toBeUndefined();
    expect((await scripted.runs()).at(-1)).toMatchObject({ failed: 1, unchanged: 0 });
  });

  it('leaves the index when it has no text left', async () => {
    scripted.script.poll = pages([
      { documents: ['kept', 'emptied'].map((name) => scripted.document(name)) },
    ]);
    await syncConnector(services, scripted.pair, never);
    scripted.script.poll = pages([{ documents: [scripted.document('emptied', ' \n ')] }]);
    await scripted.nextRun();
    expect(await scripted.documents('pair')).toEqual([scripted.named('kept')]);
    expect((await scripted.runs()).at(-1)).toMatchObject({ status: 'success', skipped: 1 });
  });
});

describe('odd values from a source', () => {
  it('do not keep a page from being saved', async () => {
    const NUL = '\u0000';
    const cut = `${'x'.repeat(499)}\u{1f600}`;
    scripted.script.poll = pages([
      {
        documents: [
          { ...scripted.document('a'), updatedAt: new Date('no time') },
          scripted.document('b'),
        ],
        skipped: [
          { documentId: null, reason: `odd${NUL}` },
          { documentId: null, reason: cut },
        ],
        failures: [
          { documentId: scripted.named(`f${NUL}`), link: NUL, entityId: null, reason: `no${NUL}` },
          { documentId: null, link: null, entityId: `\ud83d${NUL}`, reason: cut },
          { documentId: scripted.named(`f${NUL}`), link: null, entityId: null, reason: 'twice' },
        ],
        removed: [`gone${NUL}`],
        memory: [{ key: `k${NUL}`, documentId: null, value: { odd: `${NUL}\ud83d` } }],
        description: `page${NUL}`,
        estimatedTotal: 1e300,
      },
    ]);
    await syncConnector(services, scripted.pair, never);
    await scripted.nextRun();
    expect((await scripted.runs())[0]).toMatchObject({
      status: 'completed_with_errors',
      fetched: 7,
      accepted: 2,
      skipped: 2,
      failed: 3,
    });
    const { rows } = await sql`select document_id, entity_id, message, tries
      from index_attempt_error where cc_pair_id = ${scripted.pair} order by id`.execute(
      services.db,
    );
    expect(rows).toMatchObject([
      { document_id: scripted.named('f'), message: 'twice', tries: 2 },
      { entity_id: '\ufffd', tries: 2 },
    ]);
  });

  it('neither restart a run immediately forever nor delay it indefinitely', async () => {
    for (const [asked, least, most] of [
      [0, 4_000, 60_000],
      [1e15, 3_600_000, 25 * 3_600_000],
    ] as const) {
      // oxlint-disable-next-line require-yield -- it fails before its first page
      scripted.script.poll = async function* poll() {
        throw new SourceUnavailable('Too many requests.', { retryAfterMs: asked });
      };
      await scripted.request(true);
      await syncConnector(services, scripted.pair, never);
      const at = (await scripted.runs()).at(-1)?.next_attempt_at?.getTime() ?? 0;
      expect(at - services.clock().getTime()).toBeGreaterThan(least);
      expect(at - services.clock().getTime()).toBeLessThan(most);
    }
  });

  it('in a listing do not remove existing documents', async () => {
    scripted.script.poll = pages([
      { documents: [scripted.document('a'), scripted.document('b'), scripted.document('c')] },
    ]);
    await syncConnector(services, scripted.pair, never);
    scripted.script.listIds = async function* listIds() {
      yield [scripted.named('a'), `${scripted.named('b')}\u0000`, 'long '.repeat(10_000)];
    };
    await requestPrune(services, { ...scripted.which, confirm: null, requestId: null });
    await pruneConnector(services, scripted.pair, never);
    expect(await scripted.documents('pair')).toEqual([scripted.named('a'), scripted.named('b')]);
  });
});

describe('a job that times out before its first page', () => {
  it('counts as an outage, so that the run ends eventually', async () => {
    // oxlint-disable-next-line require-yield -- no page comes
    scripted.script.poll = async function* poll(_from, { signal }) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('Aborted.')));
      });
    };
    const abort = new AbortController();
    const running = syncConnector(services, scripted.pair, abort.signal);
    await until(async () => (await scripted.runs()).length === 1);
    abort.abort(Object.assign(new Error('It took too long.'), { name: 'JobTimeout' }));
    await expect(running).rejects.toThrow('too long');
    const [run] = await scripted.runs();
    expect(run).toMatchObject({ status: 'in_progress', outages: 1 });
    expect(run?.next_attempt_at).not.toBeNull();
  });
});

describe('a document with more metadata than ingestion accepts', () => {
  it('is truncated and indexed, and the run reports it', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`label-${n}`, 'v']),
    );
    const labelled = { ...scripted.document('labelled'), metadata };
    scripted.script.poll = pages([{ documents: [labelled, scripted.document('plain')] }]);
    await syncConnector(services, scripted.pair, never);
    expect(await scripted.runs()).toMatchObject([
      { status: 'success', accepted: 2, failed: 0, notes: { [METADATA_CUT]: 1 } },
    ]);
    const { rows } = await sql<{ keys: number }>`
      select (select count(*)::int from json_object_keys(metadata)) as keys from document
      where external_id = ${scripted.named('labelled')}`.execute(services.db);
    expect(rows).toEqual([{ keys: 1_000 }]);
  });
});
