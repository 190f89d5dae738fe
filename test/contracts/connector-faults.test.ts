import { describe, expect, it } from 'vitest';
import { SourceUnavailable } from '#src/connectors/source-errors.ts';
import {
  type ContractSource,
  injectFault,
  loadContractKinds,
} from '#test/support/connector-contract.ts';
import type { SourceFault } from '#test/support/fake-source.ts';
import { findRequest, PLACES } from '#test/support/find-request.ts';
import { expectHonest, expectWhole } from '#test/support/poll-outcome.ts';
import { failuresOf, runPoll } from '#test/support/run-poll.ts';

const kinds = await loadContractKinds();
const web = kinds.filter(({ speaksHttp }) => speaksHttp);
const others = kinds.filter(({ speaksHttp }) => !speaksHttp);

const SERVER_ERROR: SourceFault = { kind: 'status', status: 500, body: { message: 'Sorry.' } };
const HURRY_MS = 250;

/** They take whatever bytes an address gives: a wrong answer may be read as a file, or be no page. */
const TAKES_ANY_BYTES = ['web', 's3', 'google_drive', 'confluence', 'rss'];

describe.each(others)('$kind, when its source misbehaves', () => {
  it.skip('is left out: it speaks no HTTP that faults could be put into', () => {});
});

describe.each(web)('$kind, when its source misbehaves', ({ kind, start }) => {
  describe.each(PLACES)('at the %s request', (place) => {
    const misbehaving = async (source: ContractSource, fault: SourceFault, times?: number) => {
      const n = await findRequest(source, place, () => runPoll(source));
      injectFault(source, n, fault, times);
    };

    it('waits as a 429 tells it to', async () => {
      await using source = await start();
      const headers = { 'retry-after': '7' };
      await misbehaving(source, { kind: 'status', status: 429, headers }, 1);
      const run = await runPoll(source);
      expectWhole(run, source);
      expect(run.waits).toContain(7_000);
    });

    it('tries a 500 again with growing waits, inside the run', async () => {
      await using source = await start();
      await misbehaving(source, SERVER_ERROR, 3);
      const run = await runPoll(source);
      expectWhole(run, source);
      expect(run.waits).toEqual(expect.arrayContaining([1_000, 2_000, 4_000]));
    });

    it.each(['truncate', 'reset', 'drip'] as const)('gets over one %s', async (fault) => {
      await using source = await start();
      await misbehaving(source, { kind: fault }, 1);
      expectWhole(await runPoll(source, { timeoutMs: HURRY_MS }), source);
    });

    it('does not take a wrong answer for the end of the list', async () => {
      await using source = await start();
      await misbehaving(source, { kind: 'wrong-json' }, 1);
      const run = await runPoll(source);
      if (TAKES_ANY_BYTES.includes(kind)) expectHonest(run, source);
      else expectWhole(run, source);
    });

    it.each([
      ['500', SERVER_ERROR],
      ['403', { kind: 'status', status: 403, body: { message: 'You may not.' } }],
      ['cut-off answers', { kind: 'truncate' }],
      ['wrong answers', { kind: 'wrong-json' }],
    ] satisfies [string, SourceFault][])(
      'says so when it gets nothing but %s',
      async (_, fault) => {
        await using source = await start();
        await misbehaving(source, fault);
        expectHonest(await runPoll(source), source);
      },
    );

    it.each(['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/'])(
      'does not follow a redirect to %s',
      async (location) => {
        await using source = await start();
        await misbehaving(source, { kind: 'redirect', location });
        const run = await runPoll(source);
        expectHonest(run, source);
        // The words of the guard: a connection that was tried would have failed in others, and been tried again.
        const words = [run.error, ...failuresOf(run).map(({ reason }) => reason)].map(String);
        expect(words.join('\n')).toContain(`${new URL(location).hostname} is `);
        expect(run.error).not.toBeInstanceOf(SourceUnavailable);
        expect(run.waits).not.toContain(1_000);
      },
    );
  });

  it('gives up an answer that never ends', async () => {
    await using source = await start();
    injectFault(source, await findRequest(source, 'last', () => runPoll(source)), { kind: 'drip' });
    const run = await runPoll(source, { timeoutMs: HURRY_MS });
    expectHonest(run, source);
    const words = [run.error, ...failuresOf(run).map(({ reason }) => reason)].map(String);
    expect(words.join('\n')).toMatch(/did not send its whole answer within/);
  });
});
