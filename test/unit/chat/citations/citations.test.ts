import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CitationWriter, type CitationSource } from '#src/chat/citations/citations.ts';
import { removeCitations } from '#src/chat/citations/written-citations.ts';
import type { AnswerBody } from '#src/chat/wire/packets.ts';

const SOURCES: ReadonlyMap<number, CitationSource> = new Map([
  [1, { documentId: 'A', link: 'https://kb.example/a' }],
  [2, { documentId: 'B', link: 'https://kb.example/b_(2)' }],
  [3, { documentId: 'C', link: null }],
]);

function run(pieces: readonly string[], isShown = true): AnswerBody[] {
  const writer = new CitationWriter(SOURCES, { isShown, labelsCode: true });
  return [...pieces.flatMap((piece) => writer.write(piece)), ...writer.end()];
}

function textOf(bodies: readonly AnswerBody[]): string {
  return bodies.map((body) => (body.type === 'message_delta' ? body.content : '')).join('');
}

const write = (text: string, isShown = true): string => textOf(run([text], isShown));

const A = '[[1]](https://kb.example/a)';
const B = '[[2]](https://kb.example/b_(2))';

describe('citations in an answer', () => {
  it.each([
    ['Reset it [1].', `Reset it ${A}.`],
    ['Reset it.[1]', `Reset it. ${A}`],
    ['**Reset** it [1]; then “wait”[2].', `**Reset** it ${A}; then “wait” ${B}.`],
    ['これは事実です[1]。', `これは事実です ${A}。`],
    ['Reset it【1】.', `Reset it ${A}.`],
    ['Reset it [[1]].', `Reset it ${A}.`],
    ['Reset it 【1】 or ［2］', `Reset it ${A} or ${B}`],
    ['Reset it [1, 2].', `Reset it ${A} ${B}.`],
    ['Reset it [[1], [2]].', `Reset it ${A} ${B}.`],
    ['Reset it [1][2].', `Reset it ${A}${B}.`],
    ['Reset it [1] [2].', `Reset it ${A} ${B}.`],
    ['No link [3]', 'No link [[3]]()'],
    ['[1] says so', `${A} says so`],
    ['line\n[1]', `line\n${A}`],
  ])('turn %j into links', (text, expected) => {
    expect(write(text)).toBe(expected);
  });

  it.each([
    ['Reset it [9].', 'Reset it.'],
    ['Reset it.[9] Then', 'Reset it. Then'],
    ['[9] says so', ' says so'],
    ['Reset it [9, 1].', `Reset it ${A}.`],
    ['Reset it [1] [9] [2].', `Reset it ${A} ${B}.`],
  ])('drop numbers without a document from %j', (text, expected) => {
    expect(write(text)).toBe(expected);
  });

  it.each([
    [`Reset it ${A}.`, `Reset it ${A}.`],
    [`Reset it ${B} now.`, `Reset it ${B} now.`],
    ['Reset it [1](https://kb.example/a).', `Reset it ${A}.`],
    ['Reset it [[1]](https://else.example/x?y=(1)).', `Reset it ${A}.`],
    ['Reset it [3]()', 'Reset it [[3]]()'],
    ['No link [[3]]().', 'No link [[3]]().'],
    ['Reset it [[9]](https://e.example).', 'Reset it.'],
    ['Reset it [1](see below)', `Reset it ${A}(see below)`],
    ['Reset it [1] (https://e.example)', `Reset it ${A} (https://e.example)`],
    ['Reset it [1](https://e.example and more)', `Reset it ${A}(https://e.example and more)`],
    ['Reset it [1](http', `Reset it ${A}(http`],
  ])('do not link %j twice, wherever the text is split', (text, expected) => {
    expect(write(text)).toBe(expected);
    expect(textOf(run(text.split('')))).toBe(expected);
  });

  it.each([
    'a [note] b',
    'a [x](https://e.example) b',
    'a [1',
    'a [[',
    'a [123456789] b',
    '[ ] todo, [] empty',
    'x [1; 2] y',
  ])('leave %j unchanged', (text) => {
    expect(write(text)).toBe(text);
  });

  it('leave code fences unchanged, but label the first without a language where that is asked for', () => {
    const code = 'See [1]\n```ts\nconst x = list[1];\n```\nthen [2]';
    expect(write(code)).toBe(`See ${A}\n\`\`\`ts\nconst x = list[1];\n\`\`\`\nthen ${B}`);
    const two = '```\na[1]\n```\n\n```\nb[2]\n```\n';
    expect(write(two)).toBe(two.replace('```', '```plaintext'));
    for (const [sources, labelsCode] of [
      [SOURCES, false],
      [new Map(), true],
    ] as const) {
      const writer = new CitationWriter(sources, { isShown: true, labelsCode });
      expect(textOf([...writer.write(two), ...writer.end()])).toBe(two);
    }
  });

  it('ignore backticks within a line', () => {
    expect(write('Use ``` for fences [1].')).toBe(`Use \`\`\` for fences ${A}.`);
  });

  it('announce each document once, right before the delta with its link', () => {
    const bodies = run(['One [1, 2]. Two [1].']);
    expect(bodies).toEqual([
      { type: 'message_delta', content: 'One' },
      { type: 'citation_info', citation_number: 1, document_id: 'A' },
      { type: 'message_delta', content: ` ${A}` },
      { type: 'citation_info', citation_number: 2, document_id: 'B' },
      { type: 'message_delta', content: ` ${B}. Two ${A}.` },
    ]);
  });

  it('are dropped with the space before them when citations are disabled', () => {
    expect(run(['One [1]. Two [1, 2], three [[9]].'], false)).toEqual([
      { type: 'message_delta', content: 'One. Two, three.' },
    ]);
  });

  it('never let a link run code or end early', () => {
    const links = ['javascript:alert(1)', 'https://e.example/a b', 'https://e.example/x)y'];
    const sources = new Map(links.map((link, index) => [index + 1, { documentId: link, link }]));
    const writer = new CitationWriter(sources, { isShown: true, labelsCode: true });
    const text = textOf([...writer.write('[1][2][3]'), ...writer.end()]);
    expect(text).toBe('[[1]]()[[2]](https://e.example/a%20b)[[3]](https://e.example/x%29y)');
  });

  it('are the same wherever the text is split, and no link is ever split', () => {
    const fragments = fc.constantFrom(
      '[1]',
      '[1, 2]',
      '[[2]]',
      '[[1], [3]]',
      '【1】',
      '[9]',
      '[',
      ']',
      '[[',
      '1',
      ', ',
      ' ',
      '  ',
      '\n',
      '`',
      '```',
      '```\n',
      '```py\n',
      '- ',
      'word',
      'é😀',
      '(',
      '\t',
    );
    const texts = fc.array(fragments, { maxLength: 25 }).map((parts) => parts.join(''));
    const cases = fc.tuple(texts, fc.array(fc.nat(80), { maxLength: 12 }), fc.boolean());
    fc.assert(
      fc.property(cases, ([text, cuts, isShown]) => {
        const whole = run([text], isShown);
        const places = [
          ...new Set([0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length]),
        ];
        const sorted = places.toSorted((one, other) => one - other);
        const pieces = sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
        for (const split of [
          run(pieces, isShown),
          run(
            Array.from({ length: text.length }, (_, at) => text.charAt(at)),
            isShown,
          ),
        ]) {
          expect(textOf(split)).toBe(textOf(whole));
          const infos = (bodies: AnswerBody[]) =>
            bodies.filter((body) => body.type === 'citation_info');
          expect(infos(split)).toEqual(infos(whole));
          for (const body of split) {
            if (body.type === 'message_delta')
              expect(body.content.replaceAll(A, '').replaceAll(B, '')).not.toContain('kb.example');
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('removing the citations of an answer', () => {
  it.each([
    [`Reset it ${A}. Then ${B}!`, 'Reset it. Then!'],
    ['x [[3]]() y', 'x y'],
    [String.raw`x [[1]](a\)b) y`, 'x y'],
    ['x [[1]](never closed', 'x [[1]](never closed'],
    ['x [1](a) y', 'x [1](a) y'],
  ])('works for %j', (answer, expected) => {
    expect(removeCitations(answer)).toBe(expected);
  });
});
