// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageOf } from '#src/connectors/source/connector.ts';
import { recoverConnectors } from '#src/connectors/runs/reconcile-connectors.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { Services } from '#src/services.ts';
import { linkScripted, pages, type ScriptedPair } from '#test/support/scripted-pair.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

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

describe('a run that waits for its source', () => {
  it('reports what it waits for across retries, lost workers and restarts, until a page comes', async () => {
    const said: (string | null | undefined)[] = [];
    const say = async () => said.push((await scripted.runs())[0]?.waiting_for);
    let isAway = true;
    scripted.script.poll = async function* poll() {
      await say();
      if (isAway) throw new SourceUnavailable('Away.');
      yield pageOf({ checkpoint: 1, description: '', documents: [scripted.document('a')] });
      await say();
    };
    const { db } = services;
    const { pair } = scripted;
    await syncConnector(services, pair, never);
    for (const damage of [
      sql`select 1`,
      sql`update index_attempt set claimed_until = now() - interval '1 minute', claim_token = gen_random_uuid()
        where cc_pair_id = ${pair}`,
    ]) {
      test.advance(30 * 60_000);
      await damage.execute(db);
      await syncConnector(services, pair, never);
      await say();
    }
    await recoverConnectors(services);
    await say();
    isAway = false;
    test.advance(30 * 60_000);
    await syncConnector(services, pair, never);
    await say();
    expect(said).toEqual([null, ...Array.from({ length: 6 }, () => 'Away.'), null, null]);
  });

  it('continues at once on request', async () => {
    // oxlint-disable-next-line require-yield -- it fails before its first page
    scripted.script.poll = async function* poll() {
      throw new SourceUnavailable('Away.');
    };
    await syncConnector(services, scripted.pair, never);
    scripted.script.poll = pages([{ documents: [scripted.document('a')] }]);
    await scripted.nextRun();
    expect(await scripted.runs()).toMatchObject([{ status: 'success', fetched: 1 }]);
  });
});
