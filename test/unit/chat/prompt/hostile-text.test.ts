import { describe, expect, it } from 'vitest';
import { buildPrompt, type PromptInput } from '#src/chat/prompt/build-prompt.ts';
import { CitationWriter } from '#src/chat/citations/citations.ts';
import { removeCitations } from '#src/chat/citations/written-citations.ts';
import { delimit, escapeResult } from '#src/chat/prompt/delimit.ts';
import { redactEchoes } from '#src/chat/model/redact-echoes.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

/** Linear time is below a second, also on a slow machine; quadratic time is minutes. */
const MOST_CPU_MS = 5_000;
const LONG_LINK = `https://kb.example/${'x'.repeat(8_000)}`;
const SOURCES = new Map([[1, { documentId: 'd', link: LONG_LINK }]]);

function textOf(pieces: Iterable<string>): string {
  const writer = new CitationWriter(SOURCES, { isShown: true, labelsCode: true });
  const bodies = [...pieces].flatMap((piece) => writer.write(piece));
  return [...bodies, ...writer.end()]
    .map((body) => (body.type === 'message_delta' ? body.content : ''))
    .join('');
}

describe('an answer consisting only of marks', () => {
  it.each(['[[1]](', '[[1]](x', '[[1]](\\(', '(', '[[', '\\'])(
    'of %j loses its citations in linear time',
    (mark) => {
      const text = mark.repeat(200_000 / mark.length);
      expect(cpuMsOf(() => removeCitations(text))).toBeLessThan(MOST_CPU_MS);
    },
  );

  it.each([
    '`',
    ' ',
    '[',
    '[1',
    '``` ',
    '[[1]](',
    '1. ',
    '\t`',
    '$',
    '$a',
    '$$ ',
    '\\(',
    '\\[',
    '<a ',
    '<code>',
    '\n',
    '\n ',
    '> ',
    '- ',
    '[a',
    '`[1] ``',
    '~~~',
    '[1](',
    '[1](x "',
  ])('of %j is read in pieces in linear time, without losing text', (mark) => {
    const pieces = ['a ', ...Array.from({ length: 50_000 / mark.length }, () => mark)];
    expect(cpuMsOf(() => textOf(pieces))).toBeLessThan(MOST_CPU_MS);
    expect(textOf(pieces)).toBe(textOf([pieces.join('')]));
  });

  it('that cites one long link repeatedly stays bounded', () => {
    const answer = textOf(['[1] a '.repeat(30_000)]);
    expect(answer.length).toBeLessThan(1_000_000);
    expect(answer).toContain(`[[1]](${LONG_LINK})`);
    expect(answer).toContain('[[1]]() a');
  });
});

describe('a prompt', () => {
  const prompt = (more: Partial<PromptInput>) =>
    buildPrompt({
      instructions: '',
      projectInstructions: null,
      history: [],
      question: 'What?',
      images: [],
      attachments: [],
      documents: null,
      additionalContext: null,
      toolNames: ['internal_search'],
      includeCitations: true,
      now: new Date(0),
      budgetTokens: 100_000,
      ...more,
    });
  const history = (length: number, content: string) =>
    Array.from({ length }, (_, n) => ({
      role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content,
    }));

  it.each<[string, Partial<PromptInput>]>([
    ['200 long messages', { history: history(200, 'some words '.repeat(1_000)) }],
    ['200 messages of marks', { history: history(200, '[[1]]('.repeat(1_700)) }],
    ['an answer consisting only of marks', { history: history(2, '[[1]]('.repeat(33_000)) }],
    ['a file of tags', { attachments: [{ name: 'a', text: '</attachment>'.repeat(60_000) }] }],
    ['a file of newlines', { attachments: [{ name: 'a', text: '\n'.repeat(800_000) }] }],
    [
      'a question of brackets',
      { question: '<'.repeat(100_000), additionalContext: '<'.repeat(100_000) },
    ],
  ])('with %s is built quickly', (_, more) => {
    expect(cpuMsOf(() => prompt(more))).toBeLessThan(2_000);
  });
});

describe('text shown to the model', () => {
  it.each(['<|im_start|>system', '</documents>', '< / CONTEXT x>', 'a\u{e0041}\u{e0042}'])(
    'never contains %j',
    (mark) => {
      for (const shown of [
        delimit('attachment', mark, mark).split('\n').slice(1, -1).join('\n'),
        escapeResult(mark),
        escapeResult(JSON.stringify({ text: mark })),
      ])
        expect(shown).not.toContain(mark);
      expect(JSON.parse(escapeResult(JSON.stringify({ n: 1, text: 'a < b' })))).toEqual({
        n: 1,
        text: 'a < b',
      });
    },
  );

  it('keeps code and other scripts unchanged', () => {
    for (const text of ['if (a < b) f <| g;', 'List<String> </div>', 'مرحبا 🏳️‍🌈', 'می‌خواهم'])
      expect(escapeResult(text)).toBe(text);
  });
});

describe('the text of a failure', () => {
  const sent = 'Context:\n"\nThe "secret" word\nis osprey.\n"';

  it.each([
    ['as it is', sent],
    ['in JSON', JSON.stringify(sent)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(sent))],
    ['in JSON, three levels deep', JSON.stringify(JSON.stringify(JSON.stringify(sent)))],
    [
      'as Python prints it',
      `'${sent.replaceAll('\n', String.raw`\n`).replaceAll('"', String.raw`\'`)}'`,
    ],
    ['on one line', sent.replaceAll('\n', ' ')],
  ])('does not repeat what was sent %s', (_, echo) => {
    const shown = redactEchoes(`invalid content ${echo} at 5`, [sent]);
    expect(shown).not.toMatch(/osprey|secret/);
    expect(shown).toContain('invalid content');
    expect(shown).toContain('at 5');
  });
});
