import { expect, test } from 'vitest';
import { startFixture } from '#test/fixtures/connectors/github.ts';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';
import { driverOf, idsOf } from '#test/support/poll-fixture.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

function openLater(earlier: TestContext, since: Date | null, until: Date): TestContext {
  const later = openTestContext({ since, until });
  for (const [key, entry] of earlier.memory) later.memory.set(key, entry);
  return later;
}

test('the failure of one repository does not restart another from the beginning', async () => {
  await using fixture = await startFixture();
  const more = { repositories: 'kitchen, nowhere' };
  await using first = openTestContext({ until: daysAgo(5) });
  expect(idsOf(await driverOf(fixture).poll(first, more))).toHaveLength(7);
  const fresh = fixture.put('Fresh', 'Just now.', daysAgo(1));
  await using second = openLater(first, null, NOW);
  const pages = await driverOf(fixture).poll(second, more);
  expect(idsOf(pages)).toEqual([fresh]);
  expect(pages.flatMap(({ failures }) => failures)).toMatchObject([{ entityId: 'acme/nowhere' }]);
});

test('changes in a repository that could not be read come with the next run, and nothing else does', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext({ until: daysAgo(9) });
  await driverOf(fixture).poll(first);
  const missed = fixture.put('Missed', 'Meanwhile.', daysAgo(6));
  fixture.server.fault = ({ url }) =>
    url.pathname === '/repos/acme/kitchen/issues' ? { kind: 'status', status: 403 } : null;
  await using second = openLater(first, daysAgo(9), daysAgo(5));
  expect(idsOf(await driverOf(fixture).poll(second))).toEqual([]);
  fixture.server.fault = () => null;
  await using third = openLater(second, daysAgo(5), NOW);
  expect(idsOf(await driverOf(fixture).poll(third))).toEqual([missed]);
});

test('items last changed before the start of the first run are not read, even in a later repository', async () => {
  await using fixture = await startFixture();
  const { kitchen, garden } = fixture;
  fixture.state.repositories = [garden];
  await using first = openTestContext({ since: daysAgo(100), until: daysAgo(5) });
  expect(idsOf(await driverOf(fixture).poll(first))).toEqual([]);
  fixture.state.repositories = [kitchen, garden];
  const kept = fixture.put('Kept', 'Within.', daysAgo(50));
  await using second = openLater(first, daysAgo(5), NOW);
  expect(idsOf(await driverOf(fixture).poll(second))).toEqual([kept]);
});

test('failures in a repository that is no longer selected are not fetched again', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const ids = ['kitchen', 'garden'].map((name) => `https://github.com/acme/${name}/issues/1`);
  const pages = await driverOf(fixture).fetchAgain(context, ids, { repositories: 'Kitchen' });
  expect(pages).toMatchObject([{ documents: [{ id: ids[0] }], removed: [ids[1]] }]);
});

test('repositories of an owner without the branch are skipped', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.kitchen.files.set('README.md', '# Kitchen');
  fixture.garden.files.set('README.md', '# Garden');
  const files = { include_files: true, include_prs: false, include_issues: false };
  const more = { ...files, branch: 'develop' };
  const pages = await driverOf(fixture).poll(context, more);
  expect(pages.flatMap(({ failures }) => failures)).toEqual([]);
  expect(pages.flatMap(({ skipped }) => skipped)).toEqual([
    { documentId: null, reason: 'a repository without the branch' },
    { documentId: null, reason: 'a repository without the branch' },
  ]);
  expect(await driverOf(fixture).listIds(context, more)).toEqual([]);
  const named = { ...more, repositories: 'kitchen' };
  await expect(driverOf(fixture).listIds(context, named)).rejects.toThrow('no branch develop');
});

test('a tree lost to a force push is read again from the branch', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  for (const name of ['a.md', 'b.md', 'c.md']) fixture.kitchen.files.set(name, `# ${name}`);
  const files = { include_files: true, include_prs: false, include_issues: false };
  const more = { ...files, repositories: 'kitchen' };
  const checkpoint = {
    repository: 'acme/kitchen',
    stage: 'files',
    cursor: null,
    tree: { sha: 'f'.repeat(40), after: 'b.md' },
  };
  const pages = await driverOf(fixture).poll(context, more, checkpoint);
  expect(idsOf(pages)).toHaveLength(3);
});
