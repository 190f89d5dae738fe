import { describe, expect, it } from 'vitest';

import { readQuestion } from '#src/chat/extract/read-question.ts';

const kindOf = (question: string): string => readQuestion(question, null).kind;

describe('the kind of a question', () => {
  it('is a quantity for "when" at the front only', () => {
    expect(kindOf('When does the ferry leave?')).toBe('quantity');
    expect(kindOf('Since when does the ferry carry cars?')).toBe('quantity');
    expect(kindOf('I missed the ferry. When is the next one?')).toBe('quantity');
    expect(kindOf('What is a bollard when a ferry lands?')).toBe('definition');
    expect(kindOf('Who helps when the ferry is late?')).toBe('person');
  });

  it('is no definition when it asks for a fact about something', () => {
    expect(kindOf('What is the toll on bridges?')).toBe('other');
    expect(kindOf("What's the colour of the ferry?")).toBe('other');
    expect(kindOf('What are the rules for dogs aboard?')).toBe('other');
    expect(kindOf('What is the toll?')).toBe('definition');
    expect(kindOf('What is a port of call?')).toBe('definition');
  });

  it('is a definition when a word or a name with a preposition is to be explained', () => {
    expect(kindOf('What is the meaning of the word bollard?')).toBe('definition');
    expect(kindOf('What is the purpose of a bollard?')).toBe('definition');
    expect(kindOf('What is the Register of Ferries?')).toBe('definition');
  });
});

it('"instead" in a question says nothing of its topic', () => {
  const { terms } = readQuestion('Which rope fits instead?', null);
  expect(terms.map(({ word, isAsking }) => [word, isAsking])).toEqual([
    ['rope', false],
    ['fits', false],
    ['instead', true],
  ]);
});

it('the verbs of a question are its actions, not its participles', () => {
  const verbsOf = (question: string): string[] =>
    readQuestion(question, null).terms.flatMap(({ isVerb, word }) => (isVerb ? word : []));
  expect(verbsOf('How long must timber dry before it can leave the yard?')).toEqual([
    'dry',
    'leave',
  ]);
  expect(verbsOf('How do I embed a chart?')).toEqual(['embed']);
  expect(verbsOf('Is it useful to exceed the toll?')).toEqual(['exceed']);
  expect(verbsOf('What happens to unclaimed parcels on the quay?')).toEqual([]);
});

it('prepositions are no words of a question', () => {
  const { terms } = readQuestion('The idea behind tide gates', null);
  expect(terms.map(({ word }) => word)).toEqual(['idea', 'tide', 'gates']);
});
