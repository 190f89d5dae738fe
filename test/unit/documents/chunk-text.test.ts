import fc from 'fast-check';
import { expect, test } from 'vitest';

import { type Chunk, chunkDocument, MAX_CHUNKS_PER_DOCUMENT } from '#src/documents/chunk-text.ts';
import { countTokens, takeTokens } from '#src/documents/count-tokens.ts';
import { GiveUp } from '#src/platform/errors.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const SMALL = { targetTokens: 16, maxTokens: 20 };

function chunksOf(text: string, limits?: { targetTokens: number; maxTokens: number }): Chunk[] {
  const sections = [{ text, link: null }];
  return chunkDocument({ title: 'Guide', sections, metadata: {} }, limits);
}

const texts = (chunks: Chunk[]) => chunks.map(({ text }) => text);

function words(count: number, word = 'word'): string {
  return Array.from({ length: count }, () => word).join(' ');
}

test('a short document is one chunk, with title, headings and metadata only in its indexed text', () => {
  const [chunk, ...rest] = chunkDocument({
    title: 'VPN guide',
    sections: [{ text: '# Setup\n\n## Linux\n\nRun the client.\n', link: 'https://kb/7' }],
    metadata: { team: 'IT', tags: ['vpn', 'linux'] },
  });
  expect(rest).toEqual([]);
  expect(chunk).toEqual({
    ordinal: 0,
    sectionIndex: 0,
    start: 0,
    end: 34,
    text: '# Setup\n\n## Linux\n\nRun the client.',
    isHtml: false,
    headings: ['Setup'],
    link: 'https://kb/7',
    tokenCount: 8,
    indexedText:
      'VPN guide > Setup\n# Setup\n\n## Linux\n\nRun the client.\nteam: IT\ntags: vpn, linux',
  });
});

test('sections are never joined, and ordinals continue through the document', () => {
  const chunks = chunkDocument({
    title: 'T',
    sections: [
      { text: 'One.', link: 'a' },
      { text: ' \n', link: 'b' },
      { text: 'Two.', link: null },
    ],
    metadata: {},
  });
  expect(
    chunks.map(({ ordinal, sectionIndex, link, text }) => [ordinal, sectionIndex, link, text]),
  ).toEqual([
    [0, 0, 'a', 'One.'],
    [1, 2, null, 'Two.'],
  ]);
});

test('a document with only a title is one chunk, and an empty one has none', () => {
  const sections = [{ text: ' ', link: 'x' }];
  const chunks = chunkDocument({ title: 'Only a title', sections, metadata: { a: 'b' } });
  expect(chunks).toHaveLength(1);
  expect(chunks[0]).toMatchObject({ start: 0, end: 0, text: '', link: 'x' });
  expect(chunks[0]?.indexedText).toBe('Only a title\na: b');
  expect(chunkDocument({ title: ' ', sections: [], metadata: {} })).toEqual([]);
});

test('a chunk ends before a heading rather than before a paragraph, and never right after a heading', () => {
  const text = `${words(6)}\n\n${words(4)}\n\n# Next\n\n${words(8)}\n\n${words(12)}`;
  const chunks = chunksOf(text, SMALL);
  expect(texts(chunks)).toEqual([`${words(6)}\n\n${words(4)}`, `# Next\n\n${words(8)}`, words(12)]);
  expect(chunks.map(({ headings }) => headings)).toEqual([[], ['Next'], ['Next']]);
});

test('setext and closed ATX headings are recognized, and a higher heading resets the path', () => {
  const text = `Top\n===\n\n${words(12)}\n\nSub\n---\n${words(12)}\n\n# Other #\n\n${words(12)}`;
  expect(chunksOf(text, SMALL).map(({ headings }) => headings)).toEqual([
    ['Top'],
    ['Top', 'Sub'],
    ['Other'],
  ]);
});

test('a hash in fenced code or front matter is not a heading', () => {
  const text = '---\ntitle: x\n---\n\n```sh\n# comment\nls\n```\n\n~~~\n# another\n~~~\n';
  expect(chunksOf(text)[0]?.headings).toEqual([]);
  expect(chunksOf(`${text}\n${words(390)}`).at(-1)?.headings).toEqual([]);
});

test('a table continued in another chunk repeats its header row only in the indexed text', () => {
  const rows = Array.from({ length: 12 }, (_, n) => `| r${n} | v${n} |`);
  const text = ['| Name | Value |', '|---|---|', ...rows].join('\n');
  const chunks = chunksOf(text, { targetTokens: 30, maxTokens: 40 });
  expect(chunks.length).toBeGreaterThan(2);
  for (const chunk of chunks.slice(1)) {
    expect(chunk.text).toMatch(/^\| r/);
    expect(chunk.text).toMatch(/\|$/);
    expect(chunk.indexedText.startsWith('Guide\n| Name | Value |\n| r')).toBe(true);
  }
});

test('a long paragraph is split between sentences, despite wrapped lines', () => {
  const sentence = 'This sentence is wrapped\nover two lines.';
  const chunks = chunksOf(Array.from({ length: 6 }, () => sentence).join(' '), SMALL);
  expect(chunks.length).toBeGreaterThan(2);
  for (const { text } of chunks) expect(text).toMatch(/^This.*\.$/s);
});

test('log lines without sentences are split at line ends', () => {
  const log = Array.from({ length: 30 }, (_, n) => `line ${n} word word`).join('\n');
  for (const { text } of chunksOf(log, SMALL)) expect(text).toMatch(/^line .* word$/s);
});

test('text without spaces is cut, but never inside a surrogate pair', () => {
  const chunks = chunksOf('😀'.repeat(50), { targetTokens: 15, maxTokens: 15 });
  expect(texts(chunks).join('')).toBe('😀'.repeat(50));
  for (const { text } of chunks) expect(text.isWellFormed()).toBe(true);
});

test('HTML keeps true offsets, indexes no tags, and takes its headings from h1 to h6', () => {
  const html =
    '<!doctype html><html><head><title>T</title><style>p{}</style></head><body><h1>Top &amp; more</h1>' +
    `<p>Alpha <b>bold</b>er ${words(10)}</p><h2 class="a>b">Sub</h2><ul><li>One</li><li>${words(10)}</li></ul>` +
    '<script>if (a < b) evil()</script><!-- <p>hidden</p> --></body></html>';
  const chunks = chunksOf(html, SMALL);
  expect(chunks.map(({ headings }) => headings)).toEqual([['Top & more'], ['Top & more', 'Sub']]);
  for (const { text, start, end } of chunks) expect(html.slice(start, end)).toBe(text);
  expect(chunks.map(({ indexedText }) => indexedText)).toEqual([
    `Guide > Top & more\nTop & more\nAlpha bolder ${words(10)}`,
    // The path may use a quarter of the limit, which is almost nothing here.
    `Guide > Top & more\nSub\nOne\n${words(10)}`,
  ]);
});

test('an HTML table repeats its header row too, and paragraphs in cells do not split rows', () => {
  const row = (n: number) => `<tr><td><p>cell a${n} b</p></td><td><p>cell b${n} c</p></td></tr>`;
  const rows = Array.from({ length: 10 }, (_, n) => row(n)).join('\n');
  const html = `<table><thead><tr><th>Left</th><th>Right</th></tr></thead><tbody>${rows}</tbody></table>`;
  const chunks = chunksOf(html, SMALL);
  for (const chunk of chunks.slice(1)) {
    expect(chunk.indexedText).toMatch(/^Guide\nLeft Right\ncell a/);
    expect(chunk.text).toMatch(/c$/);
  }
});

test('Markdown that starts with some HTML stays Markdown', () => {
  const text = `<div align="center"><h1>Logo</h1></div>\n\n## Install\n\n\`\`\`html\n<script>x</script>\n\`\`\`\n`;
  const [chunk] = chunksOf(text);
  expect(chunk?.isHtml).toBe(false);
  expect(chunk?.indexedText).toContain('<script>');
});

test('title and metadata do not crowd out the text', () => {
  const [chunk] = chunkDocument({
    title: words(5_000, 'title'),
    sections: [{ text: 'The text.', link: null }],
    metadata: { key: Array.from({ length: 5_000 }, () => 'value') },
  });
  expect(countTokens(chunk?.indexedText ?? '')).toBeLessThanOrEqual(210);
  expect(chunk?.indexedText).toContain('The text.');
});

test('a document that is far too large is refused with its size and a remedy', () => {
  const attempt = () =>
    chunksOf(words(30 * MAX_CHUNKS_PER_DOCUMENT), { targetTokens: 8, maxTokens: 10 });
  expect(attempt).toThrow(GiveUp);
  expect(attempt).toThrow(/600,000 tokens.*20,000 chunks; post it as several documents/);
});

test('ten megabytes without a space take linear time', () => {
  const cpuMs = cpuMsOf(() => {
    expect(chunksOf('x'.repeat(10_000_000)).length).toBeGreaterThan(1_000);
  });
  // Takes about one second; quadratic time would take hours.
  expect(cpuMs).toBeLessThan(30_000);
});

test('malformed markup of any size takes linear time', () => {
  for (const crumb of [
    '<a ',
    '<a "',
    '<a x="',
    '<!--',
    '<script>',
    '</',
    '<',
    '&#',
    '```\n',
    '| a\n|-|\n',
    '# ',
  ]) {
    for (const text of [`<p>${crumb.repeat(60_000)}`, crumb.repeat(60_000)])
      expect(
        cpuMsOf(() => chunksOf(text)),
        crumb,
      ).toBeLessThan(10_000);
  }
});

const markup = fc.constantFrom(
  ...'# |## |\n|\n\n|```\n|- |1. |===\n|---\n|\t|\r\n|. |? | |Word|another word here. '.split('|'),
  ...'😀|漢字|é|\f|\u00a0|<|>'.split('|'),
  '| a | b |\n',
  '|---|---|\n',
  'x'.repeat(90),
);
const markdown = fc.array(fc.oneof({ weight: 4, arbitrary: markup }, fc.string()), {
  maxLength: 80,
});
const tags = fc.constantFrom(
  ...'<p> </p> <h2> </h2> <table> </table> <tr> </tr> <th> <td> <br> <li> <b> </b>'.split(' '),
  ...'<!-- --> <script> </script> </a> < > " &amp; &#0; text 😀'.split(' '),
  '<a href="x>y">',
  'A sentence. ',
  'x'.repeat(60),
  '\n',
);

function checkInvariants(text: string, chunks: Chunk[], maxTokens: number): string {
  let covered = '';
  let end = 0;
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk.text).toBe(text.slice(chunk.start, chunk.end));
    expect(chunk.ordinal).toBe(index);
    expect(chunk.start).toBeGreaterThanOrEqual(end);
    expect(chunk.tokenCount).toBeLessThanOrEqual(maxTokens);
    covered += text.slice(end, chunk.start).replace(/\S/g, '!') + chunk.text;
    ({ end } = chunk);
  }
  return covered + text.slice(end).replace(/\S/g, '!');
}

test('chunks of any text are true slices, in order, without overlap, within limits, and lose nothing', () => {
  fc.assert(
    fc.property(markdown, (parts) => {
      const text = parts.join('');
      const chunks = chunksOf(text, SMALL).filter((chunk) => chunk.end > 0);
      fc.pre(chunks.every((chunk) => !chunk.isHtml));
      expect(checkInvariants(text, chunks, SMALL.maxTokens)).toBe(text);
      for (const chunk of chunks) {
        expect(chunk.text).toBe(chunk.text.trim());
        expect(countTokens(chunk.text)).toBeLessThanOrEqual(SMALL.maxTokens);
      }
    }),
    { numRuns: 500 },
  );
});

test('chunks of any HTML are true slices, in order, without overlap and within limits', () => {
  fc.assert(
    fc.property(fc.array(tags, { maxLength: 60 }), (parts) => {
      const text = `<p>${parts.join('')}`;
      const chunks = chunksOf(text, SMALL).filter((chunk) => chunk.end > 0);
      checkInvariants(text, chunks, SMALL.maxTokens);
    }),
    { numRuns: 500 },
  );
});

test('taking tokens stays within the budget, and splitting a text never makes it cheaper', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, budget) => {
      const reach = takeTokens(text, 0, text.length, budget);
      expect(countTokens(text, 0, reach)).toBeLessThanOrEqual(budget);
      const split = countTokens(text, 0, reach) + countTokens(text, reach);
      expect(split).toBeGreaterThanOrEqual(countTokens(text));
    }),
  );
});
