import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wikiMarkupToMarkdown } from '#src/connectors/kinds/tracker/wiki-markup-to-markdown.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

test('text that only looks like markup stays unchanged', () => {
  const prose = 'snake_case_name, 2*3*4, a - b - c, C:\\temp, {unknown}, [x], 5 > 3! Really!';
  expect(wikiMarkupToMarkdown(prose)).toBe(prose);
});

test('a macro that never ends is text, and the rest is read as usual', () => {
  expect(wikiMarkupToMarkdown('{quote}open\n*bold*\n{code}\nx')).toBe(
    '{quote}open\n**bold**\n{code}\nx',
  );
});

test('long and hostile texts are read quickly', () => {
  const texts = ['{quote}\n*a _b ', '{{', '*a -b', '[a|', '!a.', '{panel:title=', '|a||'];
  for (const part of texts)
    expect(
      cpuMsOf(() => wikiMarkupToMarkdown(part.repeat(8_000))),
      part,
    ).toBeLessThan(5_000);
});

test('any text is converted without leaving internal placeholders', () => {
  const part = fc.constantFrom(
    '*',
    '_',
    '-',
    '{',
    '}',
    '{code}',
    '[',
    ']',
    '|',
    '!',
    '\\',
    '\n',
    '\uE000',
    'a',
    ' ',
    '# ',
    'https://a',
    '{{',
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(wikiMarkupToMarkdown(parts.join(''))).not.toMatch(/[\uE000\uE001]/);
    }),
  );
});

test('phrases, links, mentions, images and escapes are converted', () => {
  const markup =
    '*bold* _it_ -gone- +new+ {{a*b*c}} [site|https://example.com/a_b_c|smart-link] [https://example.com] ' +
    '[~ann] !shot.png|thumbnail! {color:red}red{color} \\*not\\* end\\\\next';
  expect(wikiMarkupToMarkdown(markup)).toBe(
    '**bold** _it_ ~~gone~~ new `a*b*c` [site](https://example.com/a_b_c) https://example.com ' +
      '@ann shot.png red *not* end\nnext',
  );
});

test('marks within words are converted', () => {
  expect(wikiMarkupToMarkdown('un{*}believ{*}able {_}it{_}self a{{{}b.c{}}}d {*}open')).toBe(
    'un**believ**able _it_self a`b.c`d {*}open',
  );
});

test('headings, lists, rules and quotes are converted', () => {
  expect(wikiMarkupToMarkdown('h2. Head\n* one\n** two\n# num\n----\nbq. said')).toBe(
    '## Head\n\n- one\n  - two\n1. num\n\n---\n\n> said',
  );
});

test('code keeps every character, wherever it starts and ends', () => {
  expect(
    wikiMarkupToMarkdown('see {code:java|title=A.java}\nint *a* = [b|c];\n\n\n  x\n{code} done'),
  ).toBe('see\n\n**A.java**\n\n```java\nint *a* = [b|c];\n\n\n  x\n```\n\n done');
  expect(wikiMarkupToMarkdown('{noformat}*a*{noformat}')).toBe('```\n*a*\n```');
});

test('panels and quotes contain markup of their own', () => {
  expect(wikiMarkupToMarkdown('{panel:title=Note}\n*b*\n* item\n{panel}')).toBe(
    '> **Note**\n>\n> **b**\n> - item',
  );
});

test('tables keep their cells, even with links in them', () => {
  expect(wikiMarkupToMarkdown('||A||B||\n|[x|https://example.com]|*b*|')).toBe(
    '| A | B |\n| --- | --- |\n| [x](https://example.com) | **b** |',
  );
});
