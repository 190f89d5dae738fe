import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { loadContractKinds } from '#test/support/connector-contract.ts';
import { contextFor } from '#test/support/run-poll.ts';

const kinds = await loadContractKinds();
const MINUTES_MS = 60_000;

interface Volume {
  count: number;
  /** Why it is not 50,000. */
  reason: string;
  /** The fixture's pages are small on purpose. */
  settings?: Record<string, unknown>;
}

const WHOLE: Volume = { count: 50_000, reason: '' };
const VOLUMES: Record<string, Volume> = {
  tracker: { ...WHOLE, settings: { batch_size: 100 } },
};

describe.each(kinds)('$kind', ({ kind, start }) => {
  const { count, settings = {} } = VOLUMES[kind] ?? WHOLE;

  it(`streams ${count} documents`, { timeout: 2 * MINUTES_MS }, async () => {
    await using source = await start();
    const { fixture, connector } = source;
    fixture.fill(count, new Date(Date.now() - 60_000));
    const expected = new Set(fixture.ids());
    expect(expected.size).toBeGreaterThanOrEqual(count);
    await using test = contextFor(source);
    const startMs = performance.now();
    let pages = 0;
    let documents = 0;
    let requests = 0;
    let early = 0;
    let heap = 0;
    const config = [source.settings(settings), source.credential()] as const;
    for await (const page of connector.poll(...config, null, test.context)) {
      pages += 1;
      documents += page.documents.length;
      if (pages === 3) early = fixture.server?.requests.length ?? 0;
      for (const { id } of page.documents) expected.delete(id);
      expect(page.failures).toEqual([]);
      if (fixture.server && fixture.server.requests.length > 1000) {
        requests += fixture.server.requests.length;
        fixture.server.requests.length = 0;
      }
      if (heap === 0 && documents > count / 10) heap = heapAfterCollection();
    }
    const end = heapAfterCollection();
    console.log(kind, {
      pages,
      documents,
      left: expected.size,
      early,
      requests,
      ms: Math.round(performance.now() - startMs),
      heapMB: Math.round((end - heap) / 1e6),
    });
  });
});

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // there since the flag is set
  collect();
  return process.memoryUsage().heapUsed;
}
