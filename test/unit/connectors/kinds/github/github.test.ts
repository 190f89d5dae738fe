import { expect, test } from 'vitest';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { startFixture } from '#test/fixtures/connectors/github.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { driverOf, idsOf, laterContext } from '#test/support/poll-fixture.ts';

const AT = new Date('2026-03-01T09:00:00Z');

test('everything changed in one second is read, even if some of it changes between two pages', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const bulk = new Map<string, string>();
  for (let index = 0; index < 12; index += 1) {
    bulk.set(fixture.put(`Bulk ${index}`, 'imported', AT), `Bulk ${index}`);
  }
  const seen = new Set<string>();
  for await (const page of driverOf(fixture).pages(context, { repositories: 'kitchen' })) {
    for (const { id } of page.documents) seen.add(id);
    // The first item read leaves the second that is currently being paged.
    const [id = '', name] = [...bulk].find(([each]) => seen.has(each)) ?? [];
    if (name) fixture.put(name, 'edited', new Date('2026-03-02T09:00:00Z'));
    bulk.delete(id);
  }
  expect(seen).toEqual(new Set(fixture.ids().filter((id) => id.includes('/kitchen/'))));
});

test('a run resumed from any checkpoint misses nothing', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const pages = await driverOf(fixture).poll(context);
  expect(pages.length).toBeGreaterThan(3);
  expect(idsOf(pages).toSorted()).toEqual(fixture.ids().toSorted());
  for (const [index, { checkpoint }] of pages.entries()) {
    const stored: unknown = JSON.parse(JSON.stringify(checkpoint));
    context.memory.clear();
    const rest = await driverOf(fixture).poll(context, {}, stored);
    const all = [...idsOf(pages.slice(0, index + 1)), ...idsOf(rest)];
    expect(all.toSorted()).toEqual(fixture.ids().toSorted());
  }
});

test('one missing repository of several is a failure, but the only one ends the run', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const pages = await driverOf(fixture).poll(context, { repositories: 'kitchen,attic,garden' });
  expect(idsOf(pages)).toHaveLength(fixture.ids().length);
  expect(pages.flatMap(({ failures }) => failures)).toMatchObject([{ entityId: 'acme/attic' }]);
  await expect(driverOf(fixture).poll(context, { repositories: 'attic' })).rejects.toThrow(
    SourceRefused,
  );
  const listed = driverOf(fixture).listIds(context, { repositories: 'kitchen,attic' });
  await expect(listed).rejects.toThrow('acme/attic');
});

test('an issue whose comments cannot be read fails alone', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.server.fault = ({ url }) =>
    url.pathname.endsWith('/kitchen/issues/1/comments')
      ? { kind: 'status', status: 500, body: { message: 'Server Error' } }
      : null;
  const pages = await driverOf(fixture).poll(context);
  const failures = pages.flatMap((page) => page.failures);
  expect(failures).toMatchObject([{ documentId: 'https://github.com/acme/kitchen/issues/1' }]);
  expect(failures[0]?.reason).toContain('Server Error');
  expect(idsOf(pages)).toHaveLength(fixture.ids().length - 1);
  fixture.server.fault = () => null;
  const missing = 'https://github.com/acme/kitchen/issues/999';
  const failed = failures[0]?.documentId ?? '';
  const again = await driverOf(fixture).fetchAgain(context, [failed, missing]);
  expect(again).toMatchObject([
    { documents: [{ id: 'https://github.com/acme/kitchen/issues/1' }], removed: [missing] },
  ]);
});

test('a pull request becomes one document with comments, reviews and line comments', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const pull = [...fixture.garden.issues.values()].find(({ isPull }) => isPull);
  Object.assign(pull ?? {}, {
    state: 'closed',
    mergedAt: '2026-01-05T10:00:00Z',
    labels: ['bug'],
    assignees: ['grace'],
    milestone: 'Spring',
    comments: [{ body: 'Looks good.', login: 'linus' }],
    reviews: [
      { body: 'Ship it.', login: 'grace', state: 'APPROVED' },
      { body: '', login: 'grace', state: 'COMMENTED' },
    ],
    lineComments: [{ body: 'Rename this.', login: 'linus', path: 'src/hose.ts' }],
  });
  const pages = await driverOf(fixture).poll(context, {
    repositories: 'garden',
    include_issues: false,
  });
  const documents = pages.flatMap((page) => page.documents);
  expect(documents).toHaveLength(1);
  expect(documents[0]).toMatchObject({
    id: 'https://github.com/acme/garden/pull/3',
    semanticIdentifier: 'acme/garden#3: The garden needs thing 2',
    metadata: {
      object_type: 'pull_request',
      repo: 'acme/garden',
      state: 'closed',
      merged: 'true',
      author: 'ada',
      assignees: ['grace'],
      labels: ['bug'],
      milestone: 'Spring',
    },
    primaryOwners: [{ display_name: 'ada' }],
  });
  expect(documents[0]?.sections.map(({ text }) => text)).toEqual([
    'About The garden needs thing 2.',
    'linus: Looks good.',
    'grace (approved): Ship it.',
    'linus on src/hose.ts: Rename this.',
  ]);
});

test('a later run reads only changes, and only issues with comments cost a request', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext();
  const only = { repositories: 'kitchen' };
  await driverOf(fixture).poll(first, only);
  const id = fixture.put('A new one', 'Please look.', AT);
  await using later = laterContext(first, new Date('2026-02-01T00:00:00Z'));
  fixture.server.requests.length = 0;
  expect(idsOf(await driverOf(fixture).poll(later, only))).toEqual([id]);
  expect(fixture.server.requests.map(({ url }) => url.pathname)).toEqual([
    '/repos/acme/kitchen',
    '/repos/acme/kitchen/issues',
  ]);
});

test('items that no longer match the state filter are removed in the next run', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext();
  const id = fixture.put('Short lived', 'Soon done.', AT);
  expect(idsOf(await driverOf(fixture).poll(first, { state_filter: 'open' }))).toContain(id);
  const issue = [...fixture.kitchen.issues.values()].find(({ title }) => title === 'Short lived');
  Object.assign(issue ?? {}, { state: 'closed' });
  await using later = laterContext(first, new Date('2026-02-01T00:00:00Z'));
  const pages = await driverOf(fixture).poll(later, { state_filter: 'open' });
  expect(idsOf(pages)).toEqual([]);
  expect(pages.flatMap(({ removed }) => removed)).toEqual([id]);
});

test('a repository that moved is found under its new name', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.kitchen.movedFrom = 'canteen';
  const pages = await driverOf(fixture).poll(context, { repositories: 'canteen' });
  expect(idsOf(pages).every((id) => id.includes('/acme/kitchen/'))).toBe(true);
  expect(idsOf(pages)).toHaveLength(7);
});

test('more than ten thousand issues of one second are yielded once each', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.fill(10_500, AT);
  const seen = new Set<string>();
  let count = 0;
  for await (const page of driverOf(fixture).pages(context, { repositories: 'kitchen' })) {
    count += page.documents.length;
    for (const { id } of page.documents) seen.add(id);
    expect(JSON.stringify(page.checkpoint).length).toBeLessThan(2_000);
  }
  expect(seen.size).toBe(10_507);
  expect(count).toBe(10_507);
});

test('a repository new to the owner, or renamed, is read from the beginning', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext();
  const since = new Date('2026-02-01T00:00:00Z');
  fixture.state.repositories = [fixture.kitchen];
  await driverOf(fixture).poll(first);
  fixture.state.repositories = [fixture.kitchen, fixture.garden];
  await using second = laterContext(first, since);
  const added = idsOf(await driverOf(fixture).poll(second));
  expect(added).toHaveLength(3);
  expect(added.every((id) => id.includes('/garden/'))).toBe(true);
  Object.assign(fixture.garden, { name: 'orchard', movedFrom: 'garden' });
  await using third = laterContext(second, since);
  const renamed = idsOf(await driverOf(fixture).poll(third));
  expect(renamed).toHaveLength(3);
  expect(renamed.every((id) => id.includes('/orchard/'))).toBe(true);
});
