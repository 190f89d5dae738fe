import { describe, expect, it } from 'vitest';

import { extractAnswer } from '#src/chat/extract/extract-answer.ts';
import { splitUnits } from '#src/chat/extract/split-units.ts';
import { writeExtract } from '#src/chat/extract/write-extract.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

describe('units of a text', () => {
  it('keeps whole code blocks and tables together and leaves cut ones out', () => {
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
    expect(splitUnits(text)).toEqual([
      { kind: 'sentence', text: 'First one.', heading: 'Title' },
      { kind: 'sentence', text: 'Second, e.g. this one.', heading: 'Title' },
      { kind: 'block', text: '```sh\nrun. it.\n```', heading: 'Title' },
      { kind: 'block', text: '| a | b |\n|---|---|\n| 1 | 2 |', heading: 'Title' },
      { kind: 'item', text: 'item one', heading: 'Title' },
      { kind: 'item', text: 'item two', heading: 'Title' },
    ]);
  });

  it('ends no sentence inside of code, unless the code itself has no end', () => {
    const texts = (text: string): string[] => splitUnits(text).map((unit) => unit.text);
    expect(texts('Ask `Who is it? Tell me.` first. Then wait.')).toEqual([
      'Ask `Who is it? Tell me.` first.',
      'Then wait.',
    ]);
    expect(texts('A ` stands alone. Then more.')).toEqual(['A ` stands alone.', 'Then more.']);
  });

  it('cuts a text without sentences into bounded pieces', () => {
    const pieces = splitUnits(`${'word '.repeat(1_000)}${'x'.repeat(5_000)}`);
    expect(pieces.length).toBeGreaterThan(20);
    expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThanOrEqual(400);
  });
});

describe('an extractive answer', () => {
  it('quotes the sentences that answer and cites where each comes from', () => {
    const hits = [
      fakeHit(
        'vpn',
        '# VPN\nThe office has plants. Reset the VPN in the portal. Then restart the client.',
      ),
      fakeHit('lunch', 'Lunch is at noon.'),
      fakeHit('vpn-mac', 'On a Mac the VPN reset needs the admin password.'),
    ];
    const quotes = extractAnswer('How do I reset the VPN?', hits);
    expect(quotes.map((quote) => quote.hit)).toEqual([0, 2]);
    expect(quotes[0]?.text).toBe('Reset the VPN in the portal.');
  });

  it('says that it found nothing when no sentence shares a content word with the question', () => {
    const hits = [fakeHit('lunch', 'Lunch is at noon. What is for lunch? How is it?')];
    expect(writeExtract('What is the capital of Mongolia?', hits)).toEqual([
      {
        text: expect.stringMatching(/^I found nothing in the indexed documents/) as unknown,
        citation: null,
      },
    ]);
    expect(writeExtract('what is it?', hits)[0]?.text).toMatch(/found nothing/);
    expect(writeExtract('anything', [])[0]?.text).toMatch(/found nothing/);
  });

  it('takes one shared word of many for chance, unless the title shares it', () => {
    const text = 'Outbound calls reach the world through one door.';
    expect(extractAnswer('Who won the world cup?', [fakeHit('a', text)])).toEqual([]);
    const hit = {
      ...fakeHit('b', 'Onboarding takes two days.'),
      semantic_identifier: 'Onboarding',
    };
    expect(extractAnswer('Please tell me everything regarding onboarding', [hit])).toHaveLength(1);
  });

  it('finds the sentence under a heading or a title that repeats the question', () => {
    const under = fakeHit(
      'terms',
      '# Refund policy\nCustomers get their money back within 30 days.',
    );
    const titled = {
      ...fakeHit('t', 'You have thirty days.'),
      semantic_identifier: 'Refund policy',
    };
    expect(extractAnswer('refund policy', [under])[0]?.text).toMatch(/30 days/);
    expect(extractAnswer('refund policy', [titled])[0]?.text).toMatch(/thirty days/);
  });

  it('answers with the sentence after a repeated question', () => {
    const hit = fakeHit(
      'faq',
      'How do I rotate the key? Open the settings page and press the button.',
    );
    expect(extractAnswer('How do I rotate the key?', [hit])[0]?.text).toMatch(/Open the settings/);
  });

  it('does not answer with a command that asks the question, but with a table that answers it', () => {
    const command = '```bash\nmillrace ask "How often should I descale it?"\n```';
    const answer = 'Descale the machine every four weeks.';
    const asked = 'How often should I descale it?';
    expect(extractAnswer(asked, [fakeHit('a', `${command}\n\n${answer}`)])).toEqual([
      { kind: 'sentence', text: answer, hit: 0 },
    ]);
    const table = `| Asked | Answered |\n|---|---|\n| ${asked} | Monthly |`;
    expect(extractAnswer(asked, [fakeHit('a', table)])).toMatchObject([{ text: table }]);
  });

  it('does not say the same thing twice', () => {
    const hits = ['a', 'b', 'c'].map((id) => fakeHit(id, 'Keys expire after 90 days.'));
    expect(extractAnswer('when do keys expire', hits)).toHaveLength(1);
  });

  it('states that it is extractive and puts the citation of a block outside of it', () => {
    const pieces = writeExtract('start command', [
      fakeHit('a', '```sh\nmillrace start command\n```'),
    ]);
    expect(pieces[0]).toEqual({ text: '```sh\nmillrace start command\n```\n\n', citation: 1 });
    expect(pieces.at(-1)?.text).toMatch(/extractive/);
  });

  it('survives a question and documents without any words', () => {
    expect(extractAnswer('???', [fakeHit('a', '!!! --- ###')])).toEqual([]);
    expect(extractAnswer('', [fakeHit('a', '')])).toEqual([]);
  });
});
