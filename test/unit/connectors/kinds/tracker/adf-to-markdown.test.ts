import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adfToMarkdown } from '#src/connectors/kinds/tracker/adf-to-markdown.ts';

const text = (words: string, ...marks: object[]): object => ({ type: 'text', text: words, marks });
const paragraph = (...content: object[]): object => ({ type: 'paragraph', content });
const doc = (...content: unknown[]): object => ({ type: 'doc', version: 1, content });

test('anything but an ADF document is an error, not an empty text', () => {
  for (const wrong of [null, 'text', [], {}, { type: 'paragraph' }, { content: [] }]) {
    expect(() => adfToMarkdown(wrong)).toThrow('not an Atlassian Document Format');
  }
  expect(adfToMarkdown(doc())).toBe('');
});

test('broken and unknown nodes do not affect their neighbors', () => {
  const document = doc(
    null,
    7,
    { text: 'no type' },
    paragraph(text('before')),
    { type: 'hologram', content: [paragraph(text('inside'))] },
    { type: 'paragraph', content: [{ type: 'wink', content: [text('inline ')] }, text('after')] },
  );
  expect(adfToMarkdown(document)).toBe('before\n\ninside\n\ninline after');
});

test('an endlessly nested document is truncated and does not overflow the stack', () => {
  let node: object = paragraph(text('deep'));
  for (let depth = 0; depth < 5_000; depth += 1) node = { type: 'blockquote', content: [node] };
  expect(adfToMarkdown(doc(paragraph(text('top')), node))).toMatch(/^top/);
});

test('any JSON inside a document yields text', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (content) => {
      expect(typeof adfToMarkdown(doc(...content))).toBe('string');
    }),
  );
});

test('marks become Markdown, with white space outside them', () => {
  const document = doc(
    paragraph(
      text('bold ', { type: 'strong' }),
      text('site', { type: 'link', attrs: { href: 'https://example.com' } }),
      text(' x`y', { type: 'code' }),
      text('red', { type: 'textColor', attrs: { color: '#f00' } }),
    ),
  );
  expect(adfToMarkdown(document)).toBe('**bold** [site](https://example.com) `` x`y ``red');
});

test('mentions, dates, cards, states and emoji read as displayed', () => {
  const document = doc(
    paragraph(
      { type: 'mention', attrs: { id: '1', text: '@Ann' } },
      text(' '),
      { type: 'date', attrs: { timestamp: '1767225600000' } },
      text(' '),
      { type: 'inlineCard', attrs: { url: 'https://example.com/a' } },
      text(' '),
      { type: 'status', attrs: { text: 'DONE' } },
      { type: 'emoji', attrs: { shortName: ':ok:' } },
      { type: 'hardBreak' },
      text('next'),
    ),
  );
  expect(adfToMarkdown(document)).toBe('@Ann 2026-01-01 https://example.com/a DONE:ok:\nnext');
});

test('lists nest, tasks show their state, and code in an item stays in it', () => {
  const item = (...content: object[]): object => ({ type: 'listItem', content });
  const document = doc(
    {
      type: 'orderedList',
      attrs: { order: 3 },
      content: [
        item(paragraph(text('three')), {
          type: 'bulletList',
          content: [item(paragraph(text('inner')))],
        }),
        item(paragraph(text('four')), { type: 'codeBlock', content: [text('a\nb')] }),
      ],
    },
    {
      type: 'taskList',
      content: [
        { type: 'taskItem', attrs: { state: 'DONE' }, content: [text('done')] },
        { type: 'taskItem', attrs: { state: 'TODO' }, content: [text('open')] },
      ],
    },
  );
  expect(adfToMarkdown(document)).toBe(
    '3. three\n   - inner\n4. four\n   ```\n   a\n   b\n   ```\n\n- [x] done\n- [ ] open',
  );
});

test('tables, panels, headings, code and expands keep their structure', () => {
  const cell = (words: string): object => ({
    type: 'tableCell',
    content: [paragraph(text(words)), paragraph(text('2|3'))],
  });
  const document = doc(
    { type: 'heading', attrs: { level: 2 }, content: [text('Head')] },
    { type: 'table', content: [{ type: 'tableRow', content: [cell('a'), cell('b')] }] },
    {
      type: 'panel',
      attrs: { panelType: 'info' },
      content: [paragraph(text('p1')), paragraph(text('p2'))],
    },
    { type: 'codeBlock', attrs: { language: 'sh' }, content: [text('echo ```')] },
    { type: 'expand', attrs: { title: 'More' }, content: [paragraph(text('hidden'))] },
  );
  expect(adfToMarkdown(document)).toBe(
    '## Head\n\n| a 2\\|3 | b 2\\|3 |\n| --- | --- |\n\n> p1\n> \n> p2\n\n````sh\necho ```\n````\n\n**More**\n\nhidden',
  );
});

test('merged cells stay in their columns, and cards show their targets', () => {
  const cell = (words: string, attrs: object = {}): object => ({
    type: 'tableCell',
    attrs,
    content: [paragraph(text(words))],
  });
  const row = (...content: object[]): object => ({ type: 'tableRow', content });
  const document = doc(
    {
      type: 'table',
      content: [
        row(cell('Tier'), cell('Cost', { colspan: 2 })),
        row(cell('Gold', { rowspan: 2 }), cell('a'), cell('1')),
        row(cell('b'), cell('2')),
      ],
    },
    { type: 'blockCard', attrs: { data: { url: 'https://a.example/x', name: 'The plan' } } },
    { type: 'embedCard', attrs: { url: 'https://a.example/y', layout: 'wide' } },
    {
      type: 'layoutSection',
      content: [
        { type: 'layoutColumn', attrs: { width: 50 }, content: [paragraph(text('left'))] },
        { type: 'layoutColumn', attrs: { width: 50 }, content: [paragraph(text('right'))] },
      ],
    },
    {
      type: 'bodiedExtension',
      attrs: { extensionKey: 'details' },
      content: [paragraph(text('inside'))],
    },
    {
      type: 'mediaSingle',
      content: [
        { type: 'media', attrs: { type: 'file', id: '1', alt: 'A cat' } },
        { type: 'caption', content: [text('on a mat')] },
      ],
    },
  );
  expect(adfToMarkdown(document)).toBe(
    '| Tier | Cost |  |\n| --- | --- | --- |\n| Gold | a | 1 |\n| Gold | b | 2 |\n\n' +
      '[The plan](https://a.example/x)\n\nhttps://a.example/y\n\nleft\n\nright\n\ninside\n\nA cat\n\non a mat',
  );
});
