import { describe, expect, it } from 'vitest';
import { injectEverywhere, loadContractKinds } from '#test/support/connector-contract.ts';
import { PLACES, requestFinder } from '#test/support/find-request.ts';
import { contextFor, runPoll } from '#test/support/run-poll.ts';
import { until } from '#test/support/until.ts';

const kinds = await loadContractKinds();
const web = kinds.filter(({ speaksHttp }) => speaksHttp);
const findRequest = requestFinder((source) => runPoll(source));

class Stopped extends Error {}

/** A hanging request ends only on abort: this exceeds the time of a test. */
const NEVER_MS = 3_600_000;

describe.each(kinds)('$kind, aborted', ({ start }) => {
  it('does not start', async () => {
    await using source = await start();
    const signal = AbortSignal.abort(new Stopped());
    const run = await runPoll(source, { signal });
    expect(run.error).toBeInstanceOf(Stopped);
    expect(run.pages).toEqual([]);
  });

  it('ends after the current page and does not report completion', async () => {
    await using source = await start();
    const stop = new AbortController();
    const run = await runPoll(source, {
      signal: stop.signal,
      timeoutMs: NEVER_MS,
      onPage: (_, number) => {
        if (number > 1) return;
        stop.abort(new Stopped());
      },
    });
    expect(run.error).toBeInstanceOf(Stopped);
  });
});

describe.each(web)('$kind, aborted while its source is silent', (entry) => {
  const { start } = entry;

  it.each(PLACES)('ends at the %s request', async (place) => {
    await using source = await start();
    const { server } = source;
    const silentFrom = await findRequest(entry, place);
    let count = 0;
    server.fault = () => {
      count += 1;
      return count >= silentFrom ? { kind: 'drip' } : null;
    };
    const stop = new AbortController();
    const running = runPoll(source, { signal: stop.signal, timeoutMs: NEVER_MS });
    await until(() => Promise.resolve(count >= silentFrom));
    stop.abort(new Stopped());
    const run = await running;
    expect(run.error).toBeInstanceOf(Stopped);
  });

  it.each(['check', 'listing'] as const)('ends a %s', async (what) => {
    await using source = await start();
    injectEverywhere(source, { kind: 'drip' });
    const stop = new AbortController();
    await using test = contextFor(source, { signal: stop.signal, timeoutMs: NEVER_MS });
    const config = [source.settings(), source.credential()] as const;
    const work =
      what === 'check'
        ? source.connector.check(...config, test.context)
        : Array.fromAsync(source.connector.listIds(...config, test.context));
    const outcome = work.then(
      () => null,
      (error: unknown) => error,
    );
    await until(() => Promise.resolve(source.server.requests.length > 0));
    stop.abort(new Stopped());
    expect(await outcome).toBeInstanceOf(Stopped);
  });

  it('leaves no connection open', async () => {
    await using source = await start();
    injectEverywhere(source, { kind: 'drip' });
    const before = openSockets();
    const stop = new AbortController();
    await using test = contextFor(source, { signal: stop.signal, timeoutMs: NEVER_MS });
    const pages = source.connector.poll(source.settings(), source.credential(), null, test.context);
    const outcome = Array.fromAsync(pages).catch((error: unknown) => error);
    await until(() => Promise.resolve(openSockets() > before));
    stop.abort(new Stopped());
    expect(await outcome).toBeInstanceOf(Stopped);
    await until(() => Promise.resolve(openSockets() <= before));
  });
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
