// @module-tag volume
import { describe, expect, it } from 'vitest';
import { type ContractKind, loadContractKinds } from '#test/support/connector-contract.ts';
import { streamVolume } from '#test/support/stream-volume.ts';

interface Volume {
  count: number;
  /** Why it is fewer than 20,000. */
  because?: string;
  /** Overrides for fixtures whose own settings keep pages small. */
  settings?: Record<string, unknown>;
}

const EACH_FETCHED = { count: 3_000, because: 'each is fetched on its own' };

const VOLUMES: Record<string, Volume> = {
  google_drive: EACH_FETCHED,
  imap: EACH_FETCHED,
  notion: EACH_FETCHED,
  rss: { count: 5_000, because: 'each page of a feed is read again' },
  s3: EACH_FETCHED,
  tracker: { count: 20_000, settings: { batch_size: 100 } },
  web: EACH_FETCHED,
};

const MAX_HEAP_GROWTH_BYTES = 32_000_000;
const MAX_CHECKPOINT_BYTES = 4_000;

const kinds = (await loadContractKinds()).map((kind) => ({
  ...kind,
  volume: VOLUMES[kind.kind] ?? { count: 20_000 },
}));

describe.each(kinds)('$kind', ({ start, volume }: ContractKind & { volume: Volume }) => {
  const { count, because, settings = {} } = volume;
  const what = `streams ${count} documents${because ? `, since ${because},` : ''} in flat memory`;

  it(what, async () => {
    await using source = await start();
    const { fixture, connector } = source;
    fixture.fill(count, new Date(Date.now() - 60_000));
    const ids = fixture.ids();
    expect(ids.length).toBeGreaterThanOrEqual(count);
    const streamed = await streamVolume(source, settings);
    const { documentsPerPage } = connector.limits;
    expect(streamed.missing).toEqual([]);
    expect(streamed.documents).toBe(ids.length);
    expect(streamed.failures).toBe(0);
    expect(streamed.largestPage).toBeLessThanOrEqual(documentsPerPage);
    expect(streamed.largestCheckpointBytes).toBeLessThan(MAX_CHECKPOINT_BYTES);
    // The first pages arrive before the rest has been fetched.
    expect(streamed.requestsAtPage3).toBeLessThanOrEqual(3 * documentsPerPage + 20);
    expect(streamed.heapGrowthBytes).toBeLessThan(MAX_HEAP_GROWTH_BYTES);
  });
});
