import { expect, test } from 'vitest';
import { startFixture } from '#test/fixtures/connectors/confluence.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { idsOf, openFixture } from '#test/support/drive-connector.ts';

const HOUR_MS = 3_600_000;
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));

async function poll(
  fixture: Awaited<ReturnType<typeof startFixture>>,
  test: TestContext,
  { since, hoursLater = 0 }: { since: Date | null; hoursLater?: number },
) {
  const { connector, settings, credential } = openFixture(fixture);
  const now = new Date(Date.now() + hoursLater * HOUR_MS);
  const context = { ...test.context, since, clock: () => now };
  return collectPages(connector.poll(settings, credential, null, context), test);
}

test.each(['Cloud', 'Server'] as const)(
  '%s: a page that is restored or moved in is found within a day, although it is unchanged',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    await using test = openTestContext();
    const { length } = idsOf(await poll(fixture, test, { since: null }));
    const before = fixture.server.requests.length;
    const restored = fixture.put('restored', 'From the trash.', day(1));
    expect(idsOf(await poll(fixture, test, { since: day(19), hoursLater: 1 }))).toEqual([]);
    const later = await poll(fixture, test, { since: day(19), hoursLater: 25 });
    expect(idsOf(later)).toEqual([restored]);
    expect(later.flatMap(({ unchanged }) => unchanged)).toEqual([]);
    // Its memory was deleted with its document.
    const [lost = ''] = fixture.ids();
    for (const [key, { documentId }] of test.memory) {
      if (documentId === lost) test.memory.delete(key);
    }
    expect(idsOf(await poll(fixture, test, { since: day(19), hoursLater: 26 }))).toEqual([]);
    expect(idsOf(await poll(fixture, test, { since: day(19), hoursLater: 50 }))).toEqual([lost]);
    expect(length).toBe(8);
    expect(fixture.server.requests.length - before).toBeLessThan(60);
  },
);

test('a page in the window that was never read is not treated as unchanged', async () => {
  await using fixture = await startFixture();
  await using test = openTestContext();
  await poll(fixture, test, { since: null });
  const moved = fixture.put('moved in', 'Words.', new Date(day(20).getTime() - HOUR_MS));
  const pages = await poll(fixture, test, { since: day(20), hoursLater: 1 });
  expect(idsOf(pages)).toEqual([moved]);
});
