import { expect, it } from 'vitest';
import {
  richText,
  type FakeBlock,
  type FakePage,
} from '#test/fixtures/connectors/notion-server.ts';
import { block, childOf, documentsOf, hoursAgo, openNotion } from './notion-harness.ts';

async function read(blocks: FakeBlock[], page: Partial<FakePage> = {}) {
  await using source = await openNotion();
  source.notion.add({ title: 'Page', edited: hoursAgo(1), blocks, ...page });
  const pages = await source.poll();
  return { document: documentsOf(pages)[0], pages };
}

const textOf = async (...blocks: FakeBlock[]) => (await read(blocks)).document?.sections[0]?.text;

it('a page without text is skipped, but one with only a title is not', async () => {
  const empty = await read([], { title: '' });
  expect(empty.pages.flatMap(({ skipped }) => skipped.map(({ reason }) => reason))).toEqual([
    'a page without text',
  ]);
  const named = await read([block('divider')], { title: 'Only a name' });
  expect(named.document?.semanticIdentifier).toBe('Only a name');
});

it('headings, paragraphs, quotes, callouts, dividers and columns become Markdown', async () => {
  const column = (text: string) => block('column', {}, [block('paragraph', text)]);
  expect(
    await textOf(
      block('heading_1', 'Top'),
      block('heading_3', 'Deep'),
      block('paragraph', {
        rich_text: [...richText('See '), ...richText('here', 'https://example.com')],
      }),
      block('paragraph', ''),
      block('quote', 'said\nso'),
      block('callout', { rich_text: richText('Mind'), icon: { emoji: '💡' } }),
      block('column_list', {}, [column('left'), column('right')]),
    ),
  ).toBe(
    '# Top\n\n### Deep\n\nSee [here](https://example.com)\n\n> said\n> so\n\n💡 Mind\n\nleft\n\nright',
  );
});

it('lists keep their numbers, checkboxes and nesting', async () => {
  expect(
    await textOf(
      block('numbered_list_item', 'one'),
      block('numbered_list_item', 'two', [
        block('bulleted_list_item', 'inside'),
        block('bulleted_list_item', 'too'),
      ]),
      block('to_do', { rich_text: richText('done'), checked: true }),
      block('to_do', { rich_text: richText('open'), checked: false }),
      block('numbered_list_item', 'again'),
    ),
  ).toBe('1. one\n2. two\n  - inside\n  - too\n\n- [x] done\n- [ ] open\n\n1. again');
});

it('code gets a longer fence than the backticks in it, and equations and tables keep their form', async () => {
  const row = (...cells: string[]) =>
    block('table_row', { cells: cells.map((cell) => richText(cell)) });
  expect(
    await textOf(
      block('code', {
        rich_text: richText('a ``` b'),
        language: 'markdown',
        caption: richText('An example'),
      }),
      block('equation', { expression: 'e=mc^2' }),
      block('table', { has_column_header: true }, [row('Name', 'Pipe'), row('x', 'a|b')]),
    ),
  ).toBe(
    '````markdown\na ``` b\n````\nAn example\n\n$$e=mc^2$$\n\n| Name | Pipe |\n| --- | --- |\n| x | a\\|b |',
  );
});

it('subpages, bookmarks and files become links, without the addresses of uploads', async () => {
  const id = '01234567-89ab-4def-8123-456789abcdef';
  expect(
    await textOf(
      childOf('page', id, 'Child'),
      block('bookmark', { url: 'https://example.com', caption: richText('Example') }),
      block('image', { type: 'external', external: { url: 'https://example.com/a.png' } }),
      block('file', {
        type: 'file',
        file: { url: 'https://s3/signed' },
        name: 'plan.pdf',
        caption: [],
      }),
    ),
  ).toBe(
    '[Child](https://www.notion.so/0123456789ab4def8123456789abcdef)\n\n[Example](https://example.com)\n\nhttps://example.com/a.png\n\nplan.pdf',
  );
});

it('a synced copy shows the original, and an original that is not shared is noted', async () => {
  const original = block('synced_block', { synced_from: null }, [
    block('paragraph', 'shared words'),
  ]);
  const copy = block('synced_block', { synced_from: { type: 'block_id', block_id: original.id } });
  const lost = block('synced_block', { synced_from: { type: 'block_id', block_id: 'nowhere' } });
  const { document } = await read([original, copy, lost]);
  expect(document?.sections[0]?.text).toBe('shared words\n\nshared words');
  expect(document?.metadata['left_out']).toEqual(['a block that Notion does not return']);
});

it('every block of a long page is read, and endless nesting is cut with a note', async () => {
  const long = await textOf(
    ...Array.from({ length: 250 }, (_, index) => block('paragraph', `p${index}`)),
  );
  expect(long?.split('\n\n')).toHaveLength(250);
  let nested = block('toggle', 'bottom');
  for (let depth = 0; depth < 40; depth += 1) nested = block('toggle', `t${depth}`, [nested]);
  const { document } = await read([nested]);
  expect(document?.sections[0]?.text).not.toContain('bottom');
  expect(document?.metadata['left_out']).toEqual(['blocks that are nested too deeply']);
});

it('properties become metadata and text, and blank ones are omitted', async () => {
  const { document } = await read([block('paragraph', 'Body')], {
    properties: {
      Status: { type: 'status', status: { name: 'Doing' } },
      Tags: { type: 'multi_select', multi_select: [{ name: 'a' }, { name: 'b' }] },
      Owner: { type: 'people', people: [{ object: 'user', id: 'u1', name: 'Ada' }] },
      Due: { type: 'date', date: { start: '2026-01-01', end: '2026-01-02' } },
      Done: { type: 'checkbox', checkbox: false },
      Points: { type: 'number', number: 0 },
      Sum: { type: 'formula', formula: { type: 'number', number: 3 } },
      Parts: { type: 'rollup', rollup: { type: 'array', array: [{ type: 'number', number: 4 }] } },
      Key: { type: 'unique_id', unique_id: { prefix: 'TASK', number: 12 } },
      Link: { type: 'url', url: null },
      Related: { type: 'relation', relation: [{ id: 'x' }] },
      New: { type: 'some_new_kind', some_new_kind: {} },
      Broken: 'not even an object',
    },
  });
  expect(document?.metadata).toEqual({
    Status: 'Doing',
    Tags: ['a', 'b'],
    Owner: 'Ada',
    Due: '2026-01-01 to 2026-01-02',
    Done: 'no',
    Points: '0',
    Sum: '3',
    Parts: '4',
    Key: 'TASK-12',
  });
  expect(document?.sections[0]?.text).toMatch(/^Status: Doing\nTags: a, b\n[^]*\n\nBody$/);
  expect(document?.primaryOwners).toEqual([{ display_name: 'Ada', email: 'ada@example.com' }]);
});

it('a page keeps its id when renamed, and links to its current address', async () => {
  await using source = await openNotion();
  const page = source.notion.add({
    title: 'Before',
    edited: hoursAgo(1),
    blocks: [block('paragraph', 'x')],
  });
  const [before] = documentsOf(await source.poll());
  page.title = 'After';
  const [after] = documentsOf(await source.poll());
  expect(after?.id).toBe(before?.id);
  expect(after?.sections[0]?.link).toContain('After-');
});
