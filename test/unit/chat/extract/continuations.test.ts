import { describe, expect, it } from 'vitest';

import { extractAnswer } from '#src/chat/extract/extract-answer.ts';
import { splitUnits } from '#src/chat/extract/split-units.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import { writeExtract } from '#src/chat/extract/write-extract.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

const alone = (question: string) => ({ question, before: null, counts: null });
const texts = (question: string, ...hits: SearchHit[]): string[] =>
  extractAnswer(alone(question), toSources(hits, [])).map(({ text }) => text);
const pieces = (question: string, ...hits: SearchHit[]) =>
  writeExtract(alone(question), toSources(hits, [])).slice(0, -1);

describe('the continuation of a quote', () => {
  it('is the text after it in its section, and nothing of the next section', () => {
    const text = [
      '# Boiler',
      'The boiler room has a pressure gauge.',
      'It hangs beside the door. Staff read it each morning. The needle belongs at two bar.',
      'Older staff knock on it.',
      '## Windows',
      'Panes are cleaned in May.',
    ].join('\n\n');
    expect(texts('Where is the boiler pressure gauge?', fakeHit('a', text))).toEqual([
      'The boiler room has a pressure gauge.',
      'It hangs beside the door.',
      'Staff read it each morning.',
      'The needle belongs at two bar.',
    ]);
  });

  it('is the whole list that the quote announces', () => {
    const items = ['socks', 'gloves', 'a torch', 'two ropes', 'chalk'];
    const list = items.map((item) => `- ${item}`).join('\n');
    const hit = fakeHit('a', `Climbers pack this equipment:\n\n${list}`);
    expect(texts('Which equipment do climbers pack?', hit)).toEqual([
      'Climbers pack this equipment:',
      ...items,
    ]);
  });

  it('includes what its last line announces, or ends before that line', () => {
    const begin = 'Sailors coil the anchor rope. It must be dry. Wet ropes rot. Coil it so:';
    const steps = ['lay a loop', 'turn it', 'lay the next'];
    const list = steps.map((step) => `- ${step}`).join('\n');
    const asked = 'Who coils the anchor rope?';
    const sentences = ['Sailors coil the anchor rope.', 'It must be dry.', 'Wet ropes rot.'];
    expect(texts(asked, fakeHit('a', `${begin}\n\n${list}`))).toEqual([
      ...sentences,
      'Coil it so:',
      ...steps,
    ]);
    const code = `\`\`\`\n${'turn();\n'.repeat(150)}\`\`\``;
    expect(texts(asked, fakeHit('a', `${begin}\n\n${code}`))).toEqual(sentences);
    const next = `${begin}\n\n# Knots\n\nKnots hold.`;
    expect(texts(asked, fakeHit('a', next))).toEqual([...sentences, 'Coil it so:']);
  });

  it('excludes page fragments around the text', () => {
    const hit = fakeHit(
      'a',
      'Tickets are sold at the harbour office.\n\nhome page\n\nIt shuts at noon.',
    );
    expect(texts('Where are harbour tickets sold?', hit)).toEqual([
      'Tickets are sold at the harbour office.',
    ]);
  });

  it('stays within 12 quotes and 1,800 characters', () => {
    const text = Array.from(
      { length: 9 },
      (_, at) =>
        `# Part ${at}\n\nThe crane number ${at} is oiled by crew ${at * 7}. ${'So. '.repeat(9)}`,
    ).join('\n\n');
    const hits = Array.from({ length: 6 }, (_, at) =>
      fakeHit(`d${at}`, text.replaceAll('crew', `crew d${at}`)),
    );
    expect(texts('Which crew oils the crane?', ...hits).length).toBeLessThanOrEqual(12);
    const words = (place: number, count: number): string =>
      Array.from({ length: count }, (_, at) => `word${place}of${at}`).join(' ');
    const sections = Array.from(
      { length: 5 },
      (_, at) => `# Part ${at}\n\nCranes are oiled in ${words(at, 25)}. Then ${words(at, 20)}.`,
    );
    const quoted = texts('When are cranes oiled?', fakeHit('a', sections.join('\n\n')));
    expect(quoted.join('').length).toBeGreaterThan(1_500);
    expect(quoted.join('').length).toBeLessThanOrEqual(1_800);
  });

  it('shares the citation of the quote, while separate places get their own paragraphs', () => {
    const text =
      'The ferry leaves at nine. It takes cars.\n\n# Prices\n\nThe ferry costs four euros for cars.';
    const asked = 'When does the ferry leave and what does the ferry cost?';
    expect(pieces(asked, fakeHit('a', text))).toEqual([
      { text: 'The ferry leaves at nine.', citation: null },
      { text: ' It takes cars.', citation: 1 },
      { text: '\n\nThe ferry costs four euros for cars.', citation: 1 },
    ]);
  });
});

describe('the choice of a quote', () => {
  it('prefers a table of the best hit to prose of another hit that mentions it', () => {
    const table = '| Syntax | `IdleGap seconds` |\n| --- | --- |\n| Default value | `IdleGap 15` |';
    const prose =
      'A server with a default value of IdleGap that is set too high keeps connections.';
    const hits = [fakeHit('reference', table), fakeHit('guide', prose)];
    expect(texts('What is the default value of IdleGap?', ...hits)[0]).toBe(table);
  });

  it('prefers a row that defines a word to a sentence of a better hit that mentions it', () => {
    const mention = fakeHit(
      'guide',
      'Everything is there: retries, a watermark, pauses and a log. A watermark helps.',
    );
    const glossary = fakeHit(
      'glossary',
      '- watermark: where a run stands, so that the next goes on from there\n- pause: a wait',
    );
    expect(texts('What is a watermark?', mention, glossary)[0]).toMatch(/where a run stands/);
  });

  it('omits code with both ends cut off', () => {
    const text = 'listen(8787, () => go());\n```\n\nThe same in Go:\n\n```go\nhttp.Listen(1)';
    expect(splitUnits(text).map((unit) => unit.text)).toEqual(['The same in Go:']);
  });
});

describe('what stands before a quote', () => {
  it('is quoted when the quote refers to it', () => {
    const text = 'Gulls follow the plough for worms. This is called gleaning by the farmers here.';
    expect(texts('What do farmers call gleaning?', fakeHit('a', text))).toEqual(
      text.split(/(?<=\.) /),
    );
    const free = 'Gulls follow the plough. Gleaning is what the farmers call the search for worms.';
    expect(texts('What do farmers call gleaning?', fakeHit('a', free))).toEqual([
      'Gleaning is what the farmers call the search for worms.',
    ]);
  });

  it('is quoted when it is the line that a section explains', () => {
    const text = '## Pumps\n\np17 (preset: 40s)\n\nHow long the pump waits before it gives up.';
    expect(texts('How long does the pump wait?', fakeHit('a', text))).toEqual([
      'p17 (preset: 40s)',
      'How long the pump waits before it gives up.',
    ]);
  });
});
