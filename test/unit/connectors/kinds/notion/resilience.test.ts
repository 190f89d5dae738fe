import { expect, it } from 'vitest';
import { notionId } from '#test/fixtures/connectors/notion-server.ts';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';
import { block, childOf, documentsOf, hoursAgo, idOf, NOW, openNotion } from './notion-harness.ts';

type Source = Awaited<ReturnType<typeof openNotion>>;

function addPages({ notion }: Source, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const blocks = [block('paragraph', `Word ${index}`)];
    return notion.add({ title: `Page ${index}`, edited: hoursAgo(48 + index), blocks });
  });
}

function openLater(earlier: TestContext, since: Date, until = NOW): TestContext {
  const later = openTestContext({ since, until });
  for (const [key, entry] of earlier.memory) later.memory.set(key, entry);
  return later;
}

const idsOf = (pages: Parameters<typeof documentsOf>[0]) => documentsOf(pages).map(({ id }) => id);
const BROKEN = { status: 500, code: 'internal_server_error' };

it('an old page shared only now is found within a day, and the others are not read again', async () => {
  await using source = await openNotion();
  addPages(source, 5);
  await using first = openTestContext({ until: hoursAgo(30) });
  await source.poll({}, first);
  const blocks = [block('paragraph', 'Written long ago')];
  const shared = source.notion.add({ title: 'Old', edited: hoursAgo(10_000), blocks });
  await using second = openLater(first, hoursAgo(31));
  const before = source.server.requests.length;
  const pages = await source.poll({}, second);
  expect(idsOf(pages)).toEqual([idOf(shared)]);
  expect(pages.flatMap(({ unchanged }) => unchanged)).toHaveLength(5);
  const read = source.server.requests
    .slice(before)
    .filter(({ url }) => /blocks/.test(url.pathname));
  expect(read).toHaveLength(1);
  await using third = openLater(second, hoursAgo(1), new Date(NOW.getTime() + 3_600_000));
  expect(await source.poll({}, third)).toMatchObject([{ unchanged: [] }]);
});

it('pages last edited before the start of the first run are never read', async () => {
  await using source = await openNotion();
  const [fresh] = addPages(source, 5);
  await using first = openTestContext({ since: hoursAgo(48), until: hoursAgo(30) });
  expect(idsOf(await source.poll({}, first))).toEqual([fresh && idOf(fresh)]);
  await using second = openLater(first, hoursAgo(31));
  expect(idsOf(await source.poll({}, second))).toEqual([]);
});

it('one page that Notion cannot deliver is a failure, but if it can deliver none, the run waits', async () => {
  await using source = await openNotion();
  const [first, ...others] = addPages(source, 5);
  source.notion.refusals.set(`/blocks/${first?.id}/children`, BROKEN);
  const pages = await source.poll();
  expect(idsOf(pages)).toEqual(others.map(idOf));
  expect(pages.flatMap(({ failures }) => failures)).toMatchObject([
    { documentId: first && idOf(first), reason: expect.stringContaining('internal_server_error') },
  ]);
  for (const { id } of others) source.notion.refusals.set(`/blocks/${id}/children`, BROKEN);
  await expect(source.poll()).rejects.toMatchObject({ name: 'SourceUnavailable' });
});

it('a page that fails again does not stop others from being fetched again', async () => {
  await using source = await openNotion();
  const [first, second] = addPages(source, 2);
  source.notion.refusals.set(`/pages/${first?.id}`, { status: 400, code: 'validation_error' });
  const again = await source.fetchAgain(
    [first, second].flatMap((page) => (page ? idOf(page) : [])),
  );
  expect(again.flatMap(({ failures }) => failures)).toMatchObject([
    { documentId: first && idOf(first) },
  ]);
  expect(documentsOf(again).map(({ id }) => id)).toEqual([second && idOf(second)]);
});

it('slow pages are saved one by one, and none is lost or read twice', async () => {
  await using source = await openNotion();
  source.notion.maxPageSize = 100;
  const all = addPages(source, 12).map(idOf);
  await using test = openTestContext({ until: NOW });
  const limited = new Set<string>();
  source.server.fault = ({ url }) => {
    if (!/blocks/.test(url.pathname) || limited.has(url.pathname)) return null;
    limited.add(url.pathname);
    return { kind: 'status', status: 429, headers: { 'retry-after': '50' } };
  };
  const pages = await source.poll({}, test);
  expect(pages.length).toBeGreaterThanOrEqual(3);
  expect(idsOf(pages)).toHaveLength(12);
  expect(idsOf(pages).toSorted()).toEqual(all.toSorted());
  for (const [index, { checkpoint }] of pages.entries()) {
    const before = idsOf(pages.slice(0, index + 1));
    const rest = idsOf(await source.poll({}, undefined, checkpoint));
    expect([...before, ...rest].toSorted()).toEqual(all.toSorted());
  }
});

it('a database with several data sources is read completely, and a refused one is one failure', async () => {
  await using source = await openNotion();
  const database = notionId(5_000);
  const sources = ['source-a', 'source-b'];
  source.notion.databases.set(database, { id: database, title: 'Tasks', sources });
  const text = [block('paragraph', 'text')];
  const rows = sources.flatMap((id) =>
    [1, 2, 3, 4].map((number) =>
      source.notion.add({
        title: `Row ${number} of ${id}`,
        edited: hoursAgo(5),
        parent: { type: 'data_source_id', data_source_id: id, database_id: database },
        blocks: text,
      }),
    ),
  );
  const blocks = [childOf('database', database, 'Tasks')];
  const root = source.notion.add({ title: 'Root', edited: hoursAgo(5), blocks });
  const settings = { root_page_id: root.id };
  const pages = await source.poll(settings);
  expect(idsOf(pages).toSorted()).toEqual([root, ...rows].map(idOf).toSorted());
  expect(documentsOf(pages).at(-1)?.metadata).toMatchObject({ database: 'Tasks' });
  expect((await source.listIds(settings)).toSorted()).toEqual(idsOf(pages).toSorted());
  await source.check({ root_page_id: database });
  source.notion.refusals.set('/data_sources/source-a/query', BROKEN);
  const partly = await source.poll(settings);
  expect(idsOf(partly)).toHaveLength(5);
  expect(partly.flatMap(({ failures }) => failures)).toMatchObject([{ entityId: 'source-a' }]);
  source.notion.refusals.set('/users/me', BROKEN);
  await expect(source.poll(settings)).rejects.toMatchObject({ name: 'SourceUnavailable' });
});

it('subpages of a page that has become unreadable are still visited', async () => {
  await using source = await openNotion();
  const [leaf] = addPages(source, 1);
  const blocks = leaf ? [childOf('page', leaf.id, 'Leaf')] : [];
  const root = source.notion.add({ title: 'Root', edited: hoursAgo(60), blocks });
  await using first = openTestContext({ until: hoursAgo(40) });
  await source.poll({ root_page_id: root.id }, first);
  root.edited = hoursAgo(2);
  if (leaf) leaf.edited = hoursAgo(1);
  source.notion.refusals.set(`/blocks/${root.id}/children`, {
    status: 400,
    code: 'validation_error',
  });
  await using second = openLater(first, hoursAgo(41));
  const pages = await source.poll({ root_page_id: root.id }, second);
  expect(idsOf(pages)).toEqual([leaf && idOf(leaf)]);
});
