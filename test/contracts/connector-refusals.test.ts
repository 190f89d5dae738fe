import { describe, expect, it } from 'vitest';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import {
  injectEverywhere,
  injectFault,
  loadContractKinds,
} from '#test/support/connector-contract.ts';
import { PLACES, requestFinder } from '#test/support/find-request.ts';
import { expectSourceError, expectComplete } from '#test/support/poll-outcome.ts';
import { checkSource, failuresOf, listAll, runPoll } from '#test/support/run-poll.ts';

const kinds = await loadContractKinds();
const web = kinds.filter(({ speaksHttp }) => speaksHttp);
const findRequest = requestFinder((source) => listAll(source));
const withCredential = await Promise.all(
  kinds.map(async (kind) => {
    await using source = await kind.start();
    return source.fixture.expireCredential === null ? [] : [kind];
  }),
);

const WORDS = { message: 'No such thing.' };

describe.each(web)('$kind, refused by its source', (entry) => {
  const { start } = entry;

  it.each([401, 403, 404])(
    'fails a check answered with %s and gives the reason',
    async (status) => {
      await using source = await start();
      injectEverywhere(source, { kind: 'status', status, body: WORDS });
      const error: unknown = await checkSource(source).catch((thrown: unknown) => thrown);
      expectSourceError(error, source);
      expect(error).not.toBeInstanceOf(SourceUnavailable);
    },
  );

  it('pauses on a 401 when it has a credential that may be at fault', async () => {
    await using source = await start();
    injectEverywhere(source, { kind: 'status', status: 401, body: WORDS });
    const { error } = await runPoll(source);
    expectSourceError(error, source);
    const { expireCredential } = source.fixture;
    expect(error).toBeInstanceOf(expireCredential ? CredentialRejected : SourceRefused);
  });

  it.each([403, 404])('fails a poll in which every answer is %s', async (status) => {
    await using source = await start();
    injectEverywhere(source, { kind: 'status', status, body: WORDS });
    const { error } = await runPoll(source);
    expectSourceError(error, source);
    expect(error).not.toBeInstanceOf(SourceUnavailable);
  });

  it('does not retry forever when every answer is 500', async () => {
    await using source = await start();
    injectEverywhere(source, { kind: 'status', status: 500, body: WORDS });
    const { error, waits } = await runPoll(source);
    expect(error).toBeInstanceOf(SourceUnavailable);
    expectSourceError(error, source);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(120_000);
  });

  it('comes back later when told to wait a long time', async () => {
    await using source = await start();
    const headers = { 'retry-after': '3600' };
    injectEverywhere(source, { kind: 'status', status: 429, headers });
    const { error, waits } = await runPoll(source);
    expect(error).toBeInstanceOf(SourceUnavailable);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(Math.max(0, ...waits)).toBeLessThan(60_000);
  });

  it.each(PLACES)('lists all ids or none when the %s request of a listing fails', async (place) => {
    await using source = await start();
    const n = await findRequest(entry, place);
    const status = { kind: 'status', status: 500, body: WORDS } as const;
    const injected = injectFault(source, n, status);
    await expect(listAll(source)).rejects.toThrow(SourceUnavailable);
    expect(injected.met).toBeGreaterThan(1);
    injectFault(source, n, status, 2);
    expect((await listAll(source)).toSorted()).toEqual(source.fixture.ids().toSorted());
  });
});

describe.each(withCredential.flat())('$kind with an expired credential', ({ start }) => {
  it('reports it at the check, the poll and the listing', async () => {
    await using source = await start();
    source.fixture.expireCredential?.();
    const run = await runPoll(source);
    expect(run.error).toBeInstanceOf(CredentialRejected);
    expectSourceError(run.error, source);
    expect(failuresOf(run)).toEqual([]);
    await expect(checkSource(source)).rejects.toThrow(CredentialRejected);
    await expect(listAll(source)).rejects.toThrow(CredentialRejected);
  });

  it('reports it in the middle of a run', async () => {
    await using source = await start();
    const run = await runPoll(source, {
      onPage: (_, number) => {
        if (number === 1) source.fixture.expireCredential?.();
      },
    });
    expect(failuresOf(run)).toEqual([]);
    // A separate token that is still valid may carry the run to its end.
    if (run.error === null) expectComplete(run, source);
    else expect(run.error).toBeInstanceOf(CredentialRejected);
  });
});
