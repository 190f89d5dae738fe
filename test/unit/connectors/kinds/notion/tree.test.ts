import { describe, expect, it } from 'vitest';
import { notionId } from '#test/fixtures/connectors/notion-server.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { block, childOf, documentsOf, hoursAgo, idOf, NOW, openNotion } from './notion-harness.ts';

type Source = Awaited<ReturnType<typeof openNotion>>;

describe('below a root', () => {
  /** root → section (in a toggle) → leaf, and a database with rows, the first of which contains a page. */
  function plant({ notion }: Source) {
    const database = notionId(5_000);
    notion.databases.set(database, { id: database, title: 'Tasks' });
    const text = [block('paragraph', 'text')];
    const leaf = notion.add({ title: 'Leaf', edited: hoursAgo(5), blocks: text });
    const section = notion.add({
      title: 'Section',
      edited: hoursAgo(5),
      blocks: [...text, childOf('page', leaf.id, 'Leaf')],
    });
    const inRow = notion.add({ title: 'In a row', edited: hoursAgo(5), blocks: text });
    const rows = Array.from({ length: 7 }, (_, index) =>
      notion.add({
        title: `Row ${index}`,
        edited: hoursAgo(5),
        created: hoursAgo(20 - index),
        parent: { type: 'database_id', database_id: database },
        blocks: index === 0 ? [childOf('page', inRow.id, 'In a row')] : text,
      }),
    );
    const toggle = block('toggle', 'More', [childOf('page', section.id, 'Section')]);
    const blocks = [
      ...text,
      toggle,
      childOf('database', database, 'Tasks'),
      childOf('database', notionId(6_000), 'A view'),
    ];
    const root = notion.add({ title: 'Root', edited: hoursAgo(5), blocks });
    notion.add({ title: 'Elsewhere', edited: hoursAgo(1), blocks: text });
    return {
      root,
      leaf,
      database,
      all: [root, section, leaf, ...rows, inRow].map(idOf).toSorted(),
    };
  }

  it('the whole tree is read, each page once, and can be resumed from every checkpoint', async () => {
    await using source = await openNotion();
    const { root, all } = plant(source);
    const settings = { root_page_id: root.id };
    const pages = await source.poll(settings);
    expect(
      documentsOf(pages)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(all);
    expect(pages.flatMap(({ skipped }) => skipped)).toHaveLength(1);
    for (const [index, { checkpoint }] of pages.entries()) {
      const rest = await source.poll(settings, undefined, checkpoint);
      const ids = documentsOf([...pages.slice(0, index + 1), ...rest]).map(({ id }) => id);
      expect(ids.toSorted()).toEqual(all);
    }
    expect((await source.listIds(settings)).toSorted()).toEqual(all);
  });

  it('only the root is read on request, or the rows of a root that is a database', async () => {
    await using source = await openNotion();
    const { root, database } = plant(source);
    const alone = { root_page_id: root.id, recursive_index_enabled: false };
    expect(documentsOf(await source.poll(alone)).map(({ id }) => id)).toEqual([idOf(root)]);
    expect(await source.listIds(alone)).toEqual([idOf(root)]);
    const rows = await source.poll({ root_page_id: database, recursive_index_enabled: false });
    expect(documentsOf(rows)).toHaveLength(7);
    expect(documentsOf(rows)[0]?.metadata).toMatchObject({ database: 'Tasks' });
    await source.check({ root_page_id: database });
  });

  it('a later run requests no blocks of unedited pages, and still finds an edit deep below', async () => {
    await using source = await openNotion();
    const { root, leaf, all } = plant(source);
    const settings = { root_page_id: root.id };
    await using first = openTestContext({ until: hoursAgo(4) });
    await source.poll(settings, first);
    leaf.edited = hoursAgo(1);
    leaf.blocks = [block('paragraph', 'edited')];
    await using second = openTestContext({ since: hoursAgo(4), until: NOW });
    for (const [key, entry] of first.memory) second.memory.set(key, entry);
    const before = source.server.requests.length;
    const pages = await source.poll(settings, second);
    expect(documentsOf(pages).map(({ id }) => id)).toEqual([idOf(leaf)]);
    expect(pages.flatMap(({ unchanged }) => unchanged).toSorted()).toEqual(
      all.filter((id) => id !== idOf(leaf)),
    );
    const blocks = source.server.requests
      .slice(before)
      .filter(({ url }) => url.pathname.includes('/blocks/'));
    expect(blocks).toHaveLength(1);
  });

  it('a database that Notion does not serve is one failure, and stops the listing', async () => {
    await using source = await openNotion();
    const { root, database } = plant(source);
    const refusal = { status: 400, code: 'validation_error' };
    source.notion.refusals.set(`/data_sources/source-${database}/query`, refusal);
    const settings = { root_page_id: root.id };
    const pages = await source.poll(settings);
    expect(documentsOf(pages)).toHaveLength(3);
    expect(pages.flatMap(({ failures }) => failures.map(({ entityId }) => entityId))).toEqual([
      `source-${database}`,
    ]);
    await expect(source.listIds(settings)).rejects.toThrow('validation_error');
  });
});
