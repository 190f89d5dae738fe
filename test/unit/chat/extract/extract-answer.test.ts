import { describe, expect, it } from 'vitest';

import { extractAnswer, type Quote } from '#src/chat/extract/extract-answer.ts';
import { splitUnits } from '#src/chat/extract/split-units.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import { type ExtractPiece, writeExtract } from '#src/chat/extract/write-extract.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

const alone = (question: string) => ({ question, before: null, counts: null });
const quote = (question: string, hits: SearchHit[]): Quote[] =>
  extractAnswer(alone(question), toSources(hits, []));
const write = (question: string, hits: SearchHit[]): ExtractPiece[] =>
  writeExtract(alone(question), toSources(hits, []));

describe('units of a text', () => {
  it('keep whole code blocks and tables together and omit truncated ones', () => {
    const text = [
      '# Title',
      'First one. Second, e.g. this one.',
      '',
      '```sh',
      'run. it.',
      '```',
      '',
      '| a | b |',
      '|---|---|',
      '| 1 | 2 |',
      '',
      '- item one',
      '- item',
      '  two',
      '',
      '```',
      'cut off',
    ].join('\n');
    const rest = { heading: 'Title', section: 1, term: '', isPointer: false };
    expect(splitUnits(text)).toEqual([
      { kind: 'sentence', text: 'First one.', ...rest },
      { kind: 'sentence', text: 'Second, e.g. this one.', ...rest },
      { kind: 'block', text: '```sh\nrun. it.\n```', ...rest },
      { kind: 'block', text: '| a | b |\n|---|---|\n| 1 | 2 |', ...rest },
      { kind: 'item', text: 'item one', ...rest },
      { kind: 'item', text: 'item two', ...rest },
    ]);
  });

  it('do not end inside code, unless the code never ends', () => {
    const texts = (text: string): string[] => splitUnits(text).map((unit) => unit.text);
    expect(texts('Ask `Who is it? Tell me.` first. Then wait.')).toEqual([
      'Ask `Who is it? Tell me.` first.',
      'Then wait.',
    ]);
    expect(texts('A ` stands alone. Then more.')).toEqual(['A ` stands alone.', 'Then more.']);
  });

  it('do not end at the full stop that begins a name', () => {
    const texts = (text: string): string[] => splitUnits(text).map((unit) => unit.text);
    expect(texts('Delete the .LCK file first. Then open it.')).toEqual([
      'Delete the .LCK file first.',
      'Then open it.',
    ]);
    expect(texts('It is over . Then go home.')).toEqual(['It is over .', 'Then go home.']);
  });

  it('are bounded pieces when the text has no sentences', () => {
    const pieces = splitUnits(`${'word '.repeat(1_000)}${'x'.repeat(5_000)}`);
    expect(pieces.length).toBeGreaterThan(20);
    expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThanOrEqual(400);
  });
});

describe('an extractive answer', () => {
  it('quotes the sentences that answer and cites the source of each', () => {
    const hits = [
      fakeHit(
        'vpn',
        '# VPN\nThe office has plants. Reset the VPN in the portal. Then restart the client.',
      ),
      fakeHit('lunch', 'Lunch is at noon.'),
      fakeHit('vpn-mac', 'On a Mac the VPN reset needs the admin password.'),
    ];
    const quotes = quote('How do I reset the VPN?', hits);
    expect(quotes.map(({ hit, text }) => [hit, text])).toEqual([
      [0, 'Reset the VPN in the portal.'],
      [0, 'Then restart the client.'],
      [2, 'On a Mac the VPN reset needs the admin password.'],
    ]);
  });

  it('says that it found nothing when no sentence shares a content word with the question', () => {
    const hits = [fakeHit('lunch', 'Lunch is at noon. What is for lunch? How is it?')];
    expect(write('What is the capital of Mongolia?', hits)).toEqual([
      {
        text: expect.stringMatching(/^I found nothing in the indexed documents/) as unknown,
        citation: null,
      },
    ]);
    expect(write('what is it?', hits)[0]?.text).toMatch(/found nothing/);
    expect(write('anything', [])[0]?.text).toMatch(/found nothing/);
  });

  it('ignores a single shared word of many, unless the title shares it', () => {
    const text = 'Outbound calls reach the world through one door.';
    expect(quote('Who won the world cup?', [fakeHit('a', text)])).toEqual([]);
    const hit = {
      ...fakeHit('b', 'Onboarding takes two days.'),
      semantic_identifier: 'Onboarding',
    };
    expect(quote('Please tell me everything regarding onboarding', [hit])).toHaveLength(1);
  });

  it('finds the sentence under a heading or title that repeats the question', () => {
    const under = fakeHit(
      'terms',
      '# Refund policy\nCustomers get their money back within 30 days.',
    );
    const titled = {
      ...fakeHit('t', 'You have thirty days.'),
      semantic_identifier: 'Refund policy',
    };
    expect(quote('refund policy', [under])[0]?.text).toMatch(/30 days/);
    expect(quote('refund policy', [titled])[0]?.text).toMatch(/thirty days/);
  });

  it('answers with the sentence after a repeated question', () => {
    const hit = fakeHit(
      'faq',
      'How do I rotate the key? Open the settings page and press the button.',
    );
    expect(quote('How do I rotate the key?', [hit])[0]?.text).toMatch(/Open the settings/);
  });

  it('skips a command that contains the question, but quotes a table that answers it', () => {
    const command = '```bash\nmillrace ask "How often should I descale it?"\n```';
    const answer = 'Descale the machine every four weeks.';
    const asked = 'How often should I descale it?';
    expect(quote(asked, [fakeHit('a', `${command}\n\n${answer}`)])).toEqual([
      { kind: 'sentence', text: answer, name: null, hit: 0, continues: false },
    ]);
    const table = `| Asked | Answered |\n|---|---|\n| ${asked} | Monthly |`;
    expect(quote(asked, [fakeHit('a', table)])).toMatchObject([{ text: table }]);
  });

  it('does not quote the same thing twice', () => {
    const hits = ['a', 'b', 'c'].map((id) => fakeHit(id, 'Keys expire after 90 days.'));
    expect(quote('when do keys expire', hits)).toHaveLength(1);
  });

  it('says that it is extractive and puts the citation after a block', () => {
    const pieces = write('start command', [fakeHit('a', '```sh\nmillrace start command\n```')]);
    expect(pieces[0]).toEqual({ text: '```sh\nmillrace start command\n```\n\n', citation: 1 });
    expect(pieces.at(-1)?.text).toMatch(/extractive/);
  });

  it('handles a question and documents without any words', () => {
    expect(quote('???', [fakeHit('a', '!!! --- ###')])).toEqual([]);
    expect(quote('', [fakeHit('a', '')])).toEqual([]);
  });
});
