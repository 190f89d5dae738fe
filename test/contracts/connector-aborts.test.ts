import { describe, expect, it } from 'vitest';
import { injectEverywhere, loadContractKinds } from '#test/support/connector-contract.ts';
import { findRequest, PLACES } from '#test/support/find-request.ts';
import { contextFor, runPoll } from '#test/support/run-poll.ts';
import { until } from '#test/support/until.ts';

const kinds = await loadContractKinds();
const web = kinds.filter(({ speaksHttp }) => speaksHttp);

class Stopped extends Error {}

/** Far below the 30 s timeout of a silent request. */
const ABORT_DEADLINE_MS = 15_000;

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
    let abortedAt = 0;
    const run = await runPoll(source, {
      signal: stop.signal,
      onPage: (_, number) => {
        if (number > 1) return;
        abortedAt = performance.now();
        stop.abort(new Stopped());
      },
    });
    expect(run.error).toBeInstanceOf(Stopped);
    expect(performance.now() - abortedAt).toBeLessThan(ABORT_DEADLINE_MS);
  });
});

describe.each(web)('$kind, aborted while its source is silent', ({ start }) => {
  it.each(PLACES)('ends promptly at the %s request', async (place) => {
    await using source = await start();
    const { server } = source;
    const silentFrom = await findRequest(source, place, () => runPoll(source));
    let count = 0;
    server.fault = () => {
      count += 1;
      return count >= silentFrom ? { kind: 'drip' } : null;
    };
    const stop = new AbortController();
    const running = runPoll(source, { signal: stop.signal });
    await until(() => Promise.resolve(count >= silentFrom), 90_000, 5);
    const abortedAt = performance.now();
    stop.abort(new Stopped());
    const run = await running;
    expect(performance.now() - abortedAt).toBeLessThan(ABORT_DEADLINE_MS);
    expect(run.error).toBeInstanceOf(Stopped);
  });

  it.each(['check', 'listing'] as const)('ends a %s promptly', async (what) => {
    await using source = await start();
    injectEverywhere(source, { kind: 'drip' });
    const stop = new AbortController();
    await using test = contextFor(source, { signal: stop.signal });
    const config = [source.settings(), source.credential()] as const;
    const work =
      what === 'check'
        ? source.connector.check(...config, test.context)
        : Array.fromAsync(source.connector.listIds(...config, test.context));
    const outcome = work.then(
      () => null,
      (error: unknown) => error,
    );
    await until(() => Promise.resolve(source.server.requests.length > 0), 90_000, 5);
    const abortedAt = performance.now();
    stop.abort(new Stopped());
    expect(await outcome).toBeInstanceOf(Stopped);
    expect(performance.now() - abortedAt).toBeLessThan(ABORT_DEADLINE_MS);
  });

  it('leaves no connection open', async () => {
    await using source = await start();
    injectEverywhere(source, { kind: 'drip' });
    const before = openSockets();
    const stop = new AbortController();
    await using test = contextFor(source, { signal: stop.signal });
    const pages = source.connector.poll(source.settings(), source.credential(), null, test.context);
    const outcome = Array.fromAsync(pages).catch((error: unknown) => error);
    await until(() => Promise.resolve(openSockets() > before), 90_000, 5);
    stop.abort(new Stopped());
    expect(await outcome).toBeInstanceOf(Stopped);
    await until(() => Promise.resolve(openSockets() <= before), ABORT_DEADLINE_MS, 5);
  });
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
