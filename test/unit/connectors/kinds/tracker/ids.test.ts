import { expect, test } from 'vitest';
import { startFixture } from '#test/fixtures/connectors/tracker.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { idsOf, openFixture, pollFixture } from '#test/support/drive-connector.ts';

test.each(['Cloud', 'Server'] as const)(
  '%s: polling with a batch size of one comes to an end',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    fixture.fill(3, new Date(Date.UTC(2026, 3, 1)));
    const pages = await pollFixture({
      ...fixture,
      settings: { ...fixture.settings, batch_size: 1 },
    });
    expect(new Set(idsOf(pages))).toEqual(new Set(fixture.ids()));
  },
);

test('an issue keeps its id when its project is renamed or it moves, and shows its new key', async () => {
  await using fixture = await startFixture();
  const { connector, settings, credential } = openFixture(fixture);
  await using context = openTestContext();
  const poll = async () =>
    collectPages(connector.poll(settings, credential, null, context.context), context);
  const before = idsOf(await poll());
  const [first = ''] = before;
  const issue = fixture.store.get('issue 1');
  issue.key = 'NEW-1';
  const documents = (await poll()).flatMap((page) => page.documents);
  expect(documents.map(({ id }) => id)).toEqual(before);
  const moved = documents.find(({ id }) => id === first);
  expect(moved?.metadata['key']).toBe('NEW-1');
  expect(moved?.sections[0]?.link).toBe(`${fixture.server.url}/browse/NEW-1`);
  const listed = await Array.fromAsync(connector.listIds(settings, credential, context.context));
  expect(listed.flat().toSorted()).toEqual(before.toSorted());
  fixture.server.fault = ({ url }) =>
    url.pathname.endsWith('/issue/ABC-1')
      ? { kind: 'redirect', location: url.href.replace('ABC-1', 'NEW-1') }
      : null;
  const again = connector.fetchAgain?.(settings, credential, [first], context.context);
  const pages = await Array.fromAsync(again ?? []);
  expect(pages.flatMap((page) => page.documents.map(({ id }) => id))).toEqual([first]);
  expect(pages.flatMap(({ removed }) => removed)).toEqual([]);
});
