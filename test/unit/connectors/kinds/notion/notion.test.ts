import { describe, expect, it } from 'vitest';
import { createNotionConnector } from '#src/connectors/kinds/notion/notion.ts';
import { notionId } from '#test/fixtures/connectors/notion-server.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { block, documentsOf, hoursAgo, idOf, NOW, openNotion } from './notion-harness.ts';

type Source = Awaited<ReturnType<typeof openNotion>>;

function addPages({ notion }: Source, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const blocks = [block('paragraph', `Word ${index}`)];
    return idOf(notion.add({ title: `Page ${index}`, edited: hoursAgo(index + 1), blocks }));
  });
}

describe('the Notion connector', () => {
  it('reports a rejected token as a rejected credential, in the words of Notion', async () => {
    await using source = await openNotion();
    source.notion.token = 'ntn_new';
    await expect(source.poll()).rejects.toMatchObject({ name: 'CredentialRejected' });
    await expect(source.check()).rejects.toThrow('API token is invalid');
  });

  it('refuses a root that is not shared, with a remedy, in the check and in a run', async () => {
    await using source = await openNotion();
    const settings = { root_page_id: notionId(99) };
    const expected = { name: 'SourceRefused', message: expect.stringContaining('Connections') };
    await expect(source.check(settings)).rejects.toMatchObject(expected);
    await expect(source.poll(settings)).rejects.toMatchObject(expected);
    await expect(source.listIds(settings)).rejects.toMatchObject(expected);
  });

  it('reports an integration without any pages when it is linked', async () => {
    await using source = await openNotion();
    await expect(source.check()).rejects.toThrow('no page');
  });

  it('reports a refused page as one failure with its link, and removes one gone in the meantime', async () => {
    await using source = await openNotion();
    const [first = '', second = '', third = ''] = addPages(source, 3);
    const [one, two] = [...source.notion.pages.keys()];
    source.notion.refusals.set(`/blocks/${one}/children`, {
      status: 400,
      code: 'validation_error',
    });
    source.notion.refusals.set(`/blocks/${two}/children`, {
      status: 404,
      code: 'object_not_found',
    });
    const pages = await source.poll();
    expect(documentsOf(pages).map(({ id }) => id)).toEqual([third]);
    expect(pages.flatMap(({ failures }) => failures)).toEqual([
      {
        documentId: first,
        link: expect.stringContaining('Page-0'),
        entityId: null,
        reason: expect.stringContaining('validation_error'),
      },
    ]);
    expect(pages.flatMap(({ removed }) => removed)).toEqual([second]);
  });

  it('notes a part of a page that Notion does not deliver, and reads the rest', async () => {
    await using source = await openNotion();
    const nested = block('toggle', 'Secret', [block('paragraph', 'hidden')]);
    const blocks = [block('paragraph', 'Shown'), nested, block('unsupported')];
    source.notion.add({ title: 'Page', edited: hoursAgo(1), blocks });
    const refusal = { status: 400, code: 'validation_error' };
    source.notion.refusals.set(`/blocks/${nested.id}/children`, refusal);
    const [document] = documentsOf(await source.poll());
    expect(document?.sections[0]?.text).toBe('Shown\n\nSecret');
    expect(document?.metadata['left_out']).toHaveLength(2);
  });

  it('fails the run for a missing capability, in the words of Notion', async () => {
    await using source = await openNotion();
    addPages(source, 1);
    const [id] = [...source.notion.pages.keys()];
    const refusal = { status: 403, code: 'restricted_resource' };
    source.notion.refusals.set(`/blocks/${id}/children`, refusal);
    await expect(source.poll()).rejects.toMatchObject({ name: 'SourceRefused', status: 403 });
    await expect(source.check()).rejects.toThrow('restricted_resource');
  });

  it('omits names of people that the integration may not see', async () => {
    await using source = await openNotion();
    addPages(source, 5);
    source.notion.refusals.set('/users/u1', { status: 403, code: 'restricted_resource' });
    expect(
      documentsOf(await source.poll()).map(({ primaryOwners }) => primaryOwners.length),
    ).toEqual([0, 0, 0, 0, 0]);
    expect(
      source.server.requests.filter(({ url }) => url.pathname.includes('/users/')),
    ).toHaveLength(1);
  });

  it('waits as long as Notion says when rate limited, and continues later after a conflict', async () => {
    await using source = await openNotion();
    addPages(source, 1);
    await using test = openTestContext({ until: NOW });
    let faults = 1;
    source.server.fault = () =>
      faults-- > 0 ? { kind: 'status', status: 429, headers: { 'retry-after': '7' } } : null;
    expect(documentsOf(await source.poll({}, test))).toHaveLength(1);
    expect(test.waits.some((ms) => ms >= 7_000)).toBe(true);
    source.notion.refusals.set('/search', { status: 409, code: 'conflict_error' });
    await expect(source.poll()).rejects.toMatchObject({ name: 'SourceUnavailable' });
  });

  it('refuses settings with an unknown key or an invalid id by name', () => {
    const { settings } = createNotionConnector();
    expect(settings.safeParse({ root: 'x' }).error?.message).toContain('root');
    expect(settings.safeParse({ root_page_id: 'my page' }).error?.issues[0]?.path).toEqual([
      'root_page_id',
    ]);
    const address = 'https://www.notion.so/acme/Home-0123456789abcdef0123456789abcdef?pvs=4';
    expect(settings.safeParse({ root_page_id: address }).success).toBe(true);
  });
});

describe('everything that is shared', () => {
  it('is read completely, and can be resumed from every checkpoint, even with an expired cursor', async () => {
    await using source = await openNotion();
    const ids = addPages(source, 10);
    const pages = await source.poll();
    expect(documentsOf(pages).map(({ id }) => id)).toEqual(ids);
    for (const [index, { checkpoint }] of pages.entries()) {
      const before = documentsOf(pages.slice(0, index + 1)).map(({ id }) => id);
      const after = documentsOf(await source.poll({}, undefined, checkpoint)).map(({ id }) => id);
      expect([...before, ...after]).toEqual(ids);
      const stale = JSON.parse(
        JSON.stringify(checkpoint).replace(/"cursor":"[^"]*"/, '"cursor":"expired"'),
      );
      const again = documentsOf(await source.poll({}, undefined, stale)).map(({ id }) => id);
      expect([...new Set([...before, ...again])]).toEqual(ids);
      // The last page may come again: others may have been edited in the same minute.
      expect(again.length).toBeLessThanOrEqual(ids.length - before.length + 1);
    }
  });

  it('includes a page edited during the walk, without reading it twice unnecessarily', async () => {
    await using source = await openNotion();
    const ids = addPages(source, 10);
    await using test = openTestContext({ until: NOW });
    const seen: string[] = [];
    for await (const page of source.begin(test)) {
      seen.push(...page.documents.map(({ id }) => id));
      const last = [...source.notion.pages.values()][8];
      if (seen.length === 3 && last) last.edited = NOW;
      source.notion.changed();
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(seen).toHaveLength(10);
  });

  it('is listed completely even if pages are edited in the meantime', async () => {
    await using source = await openNotion();
    const ids = addPages(source, 10);
    let edits = 0;
    source.server.fault = () => {
      const page = [...source.notion.pages.values()][9 - edits];
      edits += 1;
      if (page && edits < 4) page.edited = new Date(NOW.getTime() + edits * 60_000);
      source.notion.changed();
      return null;
    };
    expect([...new Set(await source.listIds())].toSorted()).toEqual(ids.toSorted());
  });

  it('is read in a later run only as far as it was edited, to the minute', async () => {
    await using source = await openNotion();
    addPages(source, 30);
    const minute = new Date('2026-06-01T11:30:00Z');
    await using first = openTestContext({ until: minute });
    await source.poll({}, first);
    const edited = source.notion.add({
      title: 'Fresh',
      edited: new Date(minute.getTime() + 10_000),
      blocks: [block('paragraph', 'new')],
    });
    await using test = openTestContext({ since: new Date(minute.getTime() + 50_000), until: NOW });
    for (const [key, entry] of first.memory) test.memory.set(key, entry);
    const before = source.server.requests.length;
    expect(documentsOf(await source.poll({}, test)).map(({ id }) => id)).toEqual([idOf(edited)]);
    const searches = source.server.requests
      .slice(before)
      .filter(({ url }) => url.pathname === '/v1/search');
    expect(searches.length).toBeLessThanOrEqual(3);
  });

  it('excludes pages in the trash, which are removed when fetched again', async () => {
    await using source = await openNotion();
    const [first = '', second = ''] = addPages(source, 2);
    const page = [...source.notion.pages.values()][0];
    if (page) page.inTrash = true;
    expect(await source.listIds()).toEqual([second]);
    const again = await source.fetchAgain([
      first,
      second,
      'https://www.notion.so/00000000000040008000ffffffffffff',
      'no id',
    ]);
    expect(documentsOf(again).map(({ id }) => id)).toEqual([second]);
    expect(again.flatMap(({ removed }) => removed)).toHaveLength(3);
  });
});
