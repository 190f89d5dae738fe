import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CitationWriter, type CitationSource } from '#src/chat/citations/citations.ts';
import { removeCitations } from '#src/chat/citations/written-citations.ts';

const SOURCES: ReadonlyMap<number, CitationSource> = new Map(
  [1, 2, 3].map((number) => [
    number,
    { documentId: `d${number}`, link: `https://kb.example/${number}` },
  ]),
);
const NONE: ReadonlyMap<number, CitationSource> = new Map();

function write(pieces: readonly string[], sources = SOURCES, isShown = true): string {
  const writer = new CitationWriter(sources, { isShown, labelsCode: true });
  return [...pieces.flatMap((piece) => writer.write(piece)), ...writer.end()]
    .map((body) => (body.type === 'message_delta' ? body.content : ''))
    .join('');
}

/** Character by character, and split in two at every position. */
function splitsOf(text: string): string[][] {
  const cuts = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [[text], text.split(''), ...cuts];
}

/** Brackets that are not citations, whatever documents there are. */
const PLAIN: [what: string, text: string][] = [
  ['inline code', 'Read `sys.argv[1]` or `list [1]` first.'],
  ['inline code containing backticks', 'Read ``a ` [1] ` b`` first.'],
  ['inline code across two lines', 'Read `a\nb [1]\nc` first.'],
  ['an index', 'Take arr[1], m[1][2], x.y[3] and argv[1].'],
  ['an index after a call', 'Take f(x)[1], f()[2], sum([1, 2]) and $[1].'],
  ['an index without an end', 'Take arr[1'],
  ['a number before a word', 'The [1]st and the [2]x.'],
  ['a fence', 'Do:\n\n```py\nx = [1]\ny = [9]\n```\n'],
  ['a fence of tildes', '~~~\nx = [1]\n```\ny = [2]\n~~~\n'],
  ['a long fence around a short one', '````md\n```\n[1]\n```\n [2]\n````\n'],
  ['a fence closed only by a longer one', '```py\n[1]\n``\n [2]\n````\n'],
  ['a fence without an end', 'Do:\n```py\nx = [1]\n\ny = [9]'],
  ['a fence in a list', '1. Do:\n\n   ```py\n   x = [1]\n   ```\n'],
  ['a fence after a list marker', '- ```py\n  [1]\n  ```\n'],
  ['a fence in a quote', '> ~~~\n> [1]\n> ~~~\n'],
  ['a fence in a quote in a list', '- > ~~~\n  > [1]\n  > ~~~\n'],
  ['indented code', 'Do:\n\n    x = [1]\n\n    y = [9]\n'],
  ['code after a tab', 'Do:\n\n\tx = [1]\n'],
  ['indented code in a list', '- Do:\n\n      x = [1]\n'],
  ['indented code at the beginning', '    [1]\n'],
  ['maths', 'Let $x_{i} [1]$ and $$ [1, 2] $$ and $$\na [1]\n$$ be.'],
  ['TeX math', String.raw`Let \(a [1]\) and \[ [1, 2] \] and \[1\] be.`],
  ['a link', 'See [1](https://else.example/a) and [the page [1]](https://else.example/b).'],
  ['a link target', 'See [a](https://e.example/?q=[1]) and [b](</x [1]> "t [2]").'],
  ['an image', 'See ![1](https://e.example/a.png) and ![a [1]](/b.png).'],
  ['an address', 'See <https://e.example/[1]> and https://e.example/?a=[1].'],
  ['a reference', 'See [the page][1] and [that][2].\n\n[1]: https://e.example/1\n'],
  ['a definition', '[1]: https://e.example/1 "One"\n[2]: <https://e.example/2>\n'],
  ['an attribute', 'See <a title="[1]">this</a> and <code>a [1]</code>.'],
  ['an escape', String.raw`See \[1] and \[1\].`],
  ['a footnote', 'See[^1] this.\n\n[^1]: That.\n'],
  ['a year or a sum', 'In [2024] and [12345].'],
  ['an index starting at zero', 'Take [0], [0, 1] and [01].'],
  ['a number without a document, glued to a word', 'Take arr[9], (x)[8] and a[7][6].'],
  ['a checkbox', '- [ ] a\n- [x] b\n'],
];

describe('text without citations', () => {
  it.each(PLAIN)('stays the same with and without documents: %s', (_, text) => {
    for (const pieces of splitsOf(text)) {
      expect(write(pieces)).toBe(text);
      expect(write(pieces, SOURCES, false)).toBe(text);
      expect(write(pieces, NONE)).toBe(text);
    }
    expect(removeCitations(text)).toBe(text);
  });

  it.each([
    'The set is [1, 2, 3].',
    'It stands like one [1]. And [[2]]. And 【3】!',
    '[1] at the beginning',
    'with a link [[1]](https://e.example)',
  ])('stays the same without documents: %s', (text) => {
    for (const pieces of splitsOf(text)) {
      expect(write(pieces, NONE)).toBe(text);
      expect(write(pieces, NONE, false)).toBe(text);
    }
  });

  it('stays the same without documents for any Markdown and any split', () => {
    fc.assert(
      fc.property(markdown(), fc.array(fc.nat(200), { maxLength: 8 }), (text, cuts) => {
        expect(withoutLabels(write(cutAt(text, cuts), NONE))).toBe(text);
        expect(withoutLabels(write(text.split(''), NONE, false))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stays the same with documents when every bracket is glued to a word', () => {
    const glued = markdown().map((text) => text.replaceAll(/[[【［]+(?=[\d\s])/g, 'a['));
    fc.assert(
      fc.property(glued, fc.array(fc.nat(200), { maxLength: 8 }), (text, cuts) => {
        expect(withoutLabels(write(cutAt(text, cuts)))).toBe(text);
        expect(withoutLabels(write(text.split('')))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a citation beside text that only looks like one', () => {
  const C = '[[1]](https://kb.example/1)';

  it.each([
    ['Use `argv[1]` [1].', `Use \`argv[1]\` ${C}.`],
    ['Use `argv[1]`[1].', `Use \`argv[1]\` ${C}.`],
    ['A lone ` and then [1].\n\nMore ` [1].', `A lone \` and then ${C}.\n\nMore \` ${C}.`],
    ['It costs $5 [1], that $6 [1].', `It costs $5 ${C}, that $6 ${C}.`],
    ['[a note [1] here]', `[a note ${C} here]`],
    ['- A:\n\n    B [1].\n', `- A:\n\n    B ${C}.\n`],
    ['A\n    B [1].\n', `A\n    B ${C}.\n`],
    ['~~~\n[1]\n~~~\n[1]', `~~~\n[1]\n~~~\n${C}`],
    ['If a < b [1] and c > d', `If a < b ${C} and c > d`],
    [String.raw`\\ [1] and \* [1]`, String.raw`\\ ${C} and \* ${C}`],
    ['| a | [1] |\n', `| a | ${C} |\n`],
    ['“Done.”[1] Then', `“Done.” ${C} Then`],
    ['**Done**[1]', `**Done** ${C}`],
    ['(see [1])', `(see ${C})`],
    ['A `never closed [1].', `A \`never closed ${C}.`],
  ])('turns %j into %j', (text, expected) => {
    for (const pieces of splitsOf(text)) expect(write(pieces)).toBe(expected);
    expect(removeCitations(expected).includes('kb.example')).toBe(false);
  });

  it('can be removed again, leaving the rest of the answer as it was written', () => {
    const text = 'Use `x[[1]](y)` [1].\n\n```r\nx <- [[1]](y)\n```\n';
    const answer = write([text]);
    expect(answer).toBe(text.replace(' [1].', ` ${C}.`));
    expect(removeCitations(answer)).toBe(text.replace(' [1].', '.'));
  });

  it('does not delay the text before a bracket until the end of the paragraph', () => {
    const writer = new CitationWriter(SOURCES, { isShown: true, labelsCode: true });
    expect(writer.write('A lone ` and more words')).toEqual([
      { type: 'message_delta', content: 'A lone ` and more words' },
    ]);
    expect(writer.write(' [1] and')).toEqual([]);
    expect(writer.write('\n\nthe next')).not.toEqual([]);
  });
});

/** Pieces of Markdown in any order. */
function markdown(): fc.Arbitrary<string> {
  const pieces = [
    '[1]',
    '[9]',
    '[1, 2]',
    '[[3]]',
    '【1】',
    '[[1]](https://a.example)',
    '[1](b)',
    '[',
    ']',
    'word',
    ' ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    '.',
    ':',
    '(',
    ')',
    '!',
    'é',
    '漢',
    '`',
    '``',
    '```',
    '```py\n',
    '~~~\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '---\n',
    '\n    ',
    '$',
    '$$',
    '\\',
    '\\(',
    '\\)',
    '\\[',
    '\\]',
    '<',
    '>',
    '<b>',
    '<code>',
    '</code>',
    '1',
    ',',
  ];
  return fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length])];
  const sorted = places.toSorted((one, other) => one - other);
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
}

/** Code blocks without a language get the label plaintext, which no piece contains. */
function withoutLabels(text: string): string {
  return text.replaceAll('plaintext', '');
}
