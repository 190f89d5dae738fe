import { describe, expect, it } from 'vitest';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import {
  type ContractSource,
  injectFault,
  loadContractKinds,
} from '#test/support/connector-contract.ts';
import type { SourceFault } from '#test/support/fake-source.ts';
import { PLACES, requestFinder } from '#test/support/find-request.ts';
import { expectFailureReported, expectComplete } from '#test/support/poll-outcome.ts';
import { failuresOf, runPoll } from '#test/support/run-poll.ts';
import { watchConnections } from '#test/support/watch-connections.ts';

const kinds = await loadContractKinds();
const web = kinds.filter(({ speaksHttp }) => speaksHttp);
const findRequest = requestFinder((source) => runPoll(source));

const SERVER_ERROR: SourceFault = { kind: 'status', status: 500, body: { message: 'Sorry.' } };
/** Only for answers that never end: on a busy machine, other answers may take as long. */
const SHORT_TIMEOUT_MS = 150;

/** They accept any bytes: a wrong answer may be read as a file, or skipped as not a page. */
const TAKES_ANY_BYTES = ['web', 's3', 'google_drive', 'confluence', 'rss'];

describe.each(web)('$kind, when its source misbehaves', (entry) => {
  const { kind, start } = entry;

  describe.each(PLACES)('at the %s request', (place) => {
    /** Polls while every attempt at this request hits the fault. */
    const pollWith = async (source: ContractSource, fault: SourceFault, times?: number) => {
      const n = await findRequest(entry, place);
      const injected = injectFault(source, n, fault, times);
      const run = await runPoll(
        source,
        fault.kind === 'drip' ? { timeoutMs: SHORT_TIMEOUT_MS } : {},
      );
      expect(injected.met).toBeGreaterThan(0);
      return run;
    };

    it('waits as long as a 429 says', async () => {
      await using source = await start();
      const headers = { 'retry-after': '7' };
      const run = await pollWith(source, { kind: 'status', status: 429, headers }, 1);
      expectComplete(run, source);
      expect(run.waits).toContain(7_000);
    });

    it('retries a 500 with growing waits within the run', async () => {
      await using source = await start();
      const run = await pollWith(source, SERVER_ERROR, 3);
      expectComplete(run, source);
      expect(run.waits).toEqual(expect.arrayContaining([1_000, 2_000, 4_000]));
    });

    it.each(['truncate', 'reset', 'drip'] as const)('recovers from one %s', async (kindOfFault) => {
      await using source = await start();
      expectComplete(await pollWith(source, { kind: kindOfFault }, 1), source);
    });

    it('does not mistake a wrong answer for the end of the list', async () => {
      await using source = await start();
      const run = await pollWith(source, { kind: 'wrong-json' }, 1);
      if (TAKES_ANY_BYTES.includes(kind)) expectFailureReported(run, source);
      else expectComplete(run, source);
    });

    it.each([
      ['500', SERVER_ERROR],
      ['403', { kind: 'status', status: 403, body: { message: 'You may not.' } }],
      ['cut-off answers', { kind: 'truncate' }],
      ['wrong answers', { kind: 'wrong-json' }],
    ] satisfies [string, SourceFault][])(
      'reports a failure when it gets only %s',
      async (_, fault) => {
        await using source = await start();
        expectFailureReported(await pollWith(source, fault), source);
      },
    );

    it.each(['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/'])(
      'does not follow a redirect to %s',
      async (location) => {
        await using source = await start();
        using connections = watchConnections();
        const run = await pollWith(source, { kind: 'redirect', location });
        expectFailureReported(run, source);
        expect(run.error).not.toBeInstanceOf(SourceUnavailable);
        // Token requests follow no redirects: they are refused before any address is resolved.
        const isRefusedAtOnce = / answered 302/.test(String(run.error));
        const refused = isRefusedAtOnce ? [] : [new URL(location).hostname];
        expect(connections.refused).toEqual(expect.arrayContaining(refused));
        expect(connections.tried).toEqual([]);
      },
    );
  });

  it('gives up on an answer that never ends', async () => {
    await using source = await start();
    const n = await findRequest(entry, 'last');
    const injected = injectFault(source, n, { kind: 'drip' });
    const run = await runPoll(source, { timeoutMs: SHORT_TIMEOUT_MS });
    expect(injected.met).toBeGreaterThan(1);
    expectFailureReported(run, source);
    const words = [run.error, ...failuresOf(run).map(({ reason }) => reason)].map(String);
    expect(words.join('\n')).toContain('did not send its whole answer within');
  });
});
