import { describe, expect, it } from 'vitest';

import { extractAnswer, type Quote } from '#src/chat/extract/extract-answer.ts';
import { paraphraseQuestion } from '#src/chat/extract/paraphrase-question.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import { writeExtract } from '#src/chat/extract/write-extract.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

function quotes(question: string, ...hits: SearchHit[]): Quote[] {
  return extractAnswer({ question, before: null, counts: null }, toSources(hits, []));
}

function first(question: string, text: string): string | null {
  return quotes(question, fakeHit('d', text))[0]?.text ?? null;
}

describe('the words of documents', () => {
  it('answer a question in everyday words', () => {
    const text = 'Maintenance of the harbour is paid by the council.';
    expect(first('Who pays for the upkeep of the harbour?', text)).toBe(text);
    expect(first('Who pays for the lantern of the harbour?', text)).toBeNull();
  });

  it('are searched for besides those of the question', () => {
    const besides = paraphraseQuestion('How do I throw away the old chart?', null);
    for (const word of ['discard', 'delete', 'remove'])
      expect(besides.has(stemWord(word))).toBe(true);
    expect(besides.has(stemWord('chart'))).toBe(false);
    for (const share of besides.values()) expect(share).toBeLessThan(1);
  });

  it('are those of a phrase, too', () => {
    const besides = paraphraseQuestion('Which pier is used if I set nothing?', null);
    expect(besides.has('default')).toBe(true);
    expect(paraphraseQuestion('Which pier is used?', null).has('default')).toBe(false);
  });

  it('replace no names, and no words of other languages', () => {
    expect(paraphraseQuestion('Where is the Wipe pier?', null).has('delet')).toBe(false);
    expect([...paraphraseQuestion('Wie kann ich den Hafen set oder wipe?', null)]).toEqual([]);
  });
});

describe('what a document is about', () => {
  it('counts for the passages behind its beginning', () => {
    const answer = 'The hull of the ferry is painted by the mate.';
    const passage = (id: string): SearchHit => ({ ...fakeHit(id, answer), chunk_ind: 4 });
    const beginnings = [fakeHit('a', 'Lantern work.'), fakeHit('b', 'Ferry work.')];
    const question = 'Who paints the hull of the ferry?';
    const best = (further: SearchHit[]): number | undefined =>
      extractAnswer(
        { question, before: null, counts: null },
        toSources([passage('a'), passage('b')], further),
      )[0]?.hit;
    expect(best([])).toBe(0);
    expect(best(beginnings)).toBe(1);
  });
});

describe('a quote', () => {
  const text = [
    '# Settings of the quay',
    '',
    '## tideTable.maxRows',
    '',
    'Limits how many rows the tide sheet shows. The sheet is then shorter.',
  ].join('\n');
  const written = (question: string, ...hits: SearchHit[]): string =>
    writeExtract({ question, before: null, counts: null }, toSources(hits, []))
      .map((piece) => piece.text)
      .join('');

  it('says which setting it explains, once', () => {
    const answer = written('How do I limit the rows of the tide sheet?', fakeHit('d', text));
    expect(answer).toMatch(/^tideTable\.maxRows: Limits how many rows/);
    expect(answer.match(/tideTable/g)).toHaveLength(1);
  });

  it('does not repeat what it says itself, nor a heading of plain words', () => {
    const named = text.replace('Limits', '`tideTable.maxRows` limits');
    expect(written('How do I limit the rows of the tide sheet?', fakeHit('d', named))).toMatch(
      /^`tideTable\.maxRows` limits/,
    );
    const plain = text.replace('tideTable.maxRows', 'Rows of the sheet');
    expect(written('How do I limit the rows of the tide sheet?', fakeHit('d', plain))).toMatch(
      /^Limits how many rows/,
    );
  });

  it('names the command of its manual page', () => {
    const page = {
      ...fakeHit('d', 'Moves the boats of a pier to another one.'),
      semantic_identifier: 'pier-move(1)',
    };
    expect(written('How do I move boats to another pier?', page)).toMatch(/^pier-move\(1\): Moves/);
  });
});

describe('words that belong together', () => {
  it('are all of what is to be explained', () => {
    const asked = 'What is a tide gate?';
    expect(
      first(
        asked,
        'The gate of the harbour is closed by day. At low tide, by night, it is open again.',
      ),
    ).toBeNull();
    expect(first(asked, 'A tide gate is a door that the sea closes.')).toMatch(/door/);
    expect(first(asked, 'A tidegate is a door that the sea closes.')).toMatch(/door/);
  });

  it('are a name and its number', () => {
    const asked = 'Does the mole carry TIDE 3?';
    expect(first(asked, 'The mole carries TIDE since the year when 3 boats sank.')).toBeNull();
    expect(first(asked, 'The mole carries TIDE 3 since spring.')).toMatch(/TIDE 3/);
  });
});
