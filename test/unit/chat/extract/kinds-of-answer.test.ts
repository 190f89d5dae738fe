import { describe, expect, it } from 'vitest';

import { extractAnswer } from '#src/chat/extract/extract-answer.ts';
import { readQuestion } from '#src/chat/extract/read-question.ts';
import { spellsOut } from '#src/chat/extract/spells-out.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

/** The first quote from documents that are equally good, or null when nothing is quoted. */
function first(question: string, ...texts: string[]): string | null {
  const hits = texts.map((text, at) => fakeHit(`d${at}`, text));
  return (
    extractAnswer({ question, before: null, counts: null }, toSources(hits, []))[0]?.text ?? null
  );
}

describe('a question for a date', () => {
  it('may name it: "release date of …"', () => {
    const asked = 'release date of the tide planner';
    expect(first(asked, 'The tide planner was released after long work.')).toBeNull();
    expect(first(asked, 'The tide planner was released on 5 June 2011.')).toMatch(/5 June/);
  });

  it('may use a verb of two words for what the text says in one', () => {
    expect(
      first('When did the tide planner come out?', 'The tide planner was released in May 2011.'),
    ).toMatch(/2011/);
    expect(
      first('How do I get the deleted map back?', 'To restore a deleted map, open the bin.'),
    ).toMatch(/bin/);
    expect(first('How do I get the deleted map?', 'To restore a map, open the bin.')).toBeNull();
  });
});

it('a preposition far behind a verb does not belong to it', () => {
  const asking = (question: string): unknown =>
    readQuestion(question, null).terms.find(({ word }) => word === 'get')?.isAsking;
  expect(asking('How do I get to the quay?')).toBe(false);
  expect(asking('How do I get the winch to stop?')).toBe(true);
});

describe('a question for a keyboard shortcut', () => {
  const asked = 'keyboard shortcut to fold the map';

  it('is answered by keys', () => {
    expect(first(asked, 'The keyboard shortcut to fold the map can be changed.')).toBeNull();
    expect(first(asked, 'To fold the map, press **Ctrl**+**M**.')).toMatch(/Ctrl/);
    expect(first(asked, 'Fold the map with the Tab key.')).toMatch(/Tab/);
  });

  it('is not one about keys of other kinds', () => {
    expect(
      first('Who keeps the key of the map room?', 'The key of the map room is kept by the porter.'),
    ).toMatch(/porter/);
  });
});

describe('a question for how many there are', () => {
  it('is not answered by a year, but by a number in words', () => {
    const asked = 'How many lanterns does the quay have?';
    expect(first(asked, 'The lanterns of the quay were lit in 1998.')).toBeNull();
    expect(first(asked, 'The quay has thirty-eight lanterns.')).toMatch(/thirty-eight/);
  });

  it('counts the noun before the verb', () => {
    const asked = 'How many sailors use lanterns aboard?';
    expect(first(asked, 'Sailors use 12 lanterns aboard.')).toBeNull();
    expect(first(asked, 'Aboard, 12 sailors use lanterns.')).toMatch(/12 sailors/);
  });
});

it('a price in a sentence has a currency', () => {
  const asked = 'What does a retry cost?';
  expect(first(asked, 'A retry has the cost 5 by default.')).toBeNull();
  expect(first(asked, 'A retry costs 5 euros.')).toMatch(/euros/);
});

describe('what an abbreviation stands for', () => {
  it('is said by words that begin with its letters', () => {
    const mention =
      'The PFD hangs beside the ladder. Every PFD has a whistle, and a PFD is orange.';
    const spelled = 'Wear a PFD (personal flotation device) at sea.';
    expect(first('What does PFD stand for?', mention, spelled)).toMatch(/personal flotation/);
    expect(first('what does the word pfd stand for', mention, spelled)).toMatch(
      /personal flotation/,
    );
    expect(first('What does PFD stand for?', mention)).toBeNull();
  });

  it('may leave out grammar words', () => {
    expect(spellsOut('It is the Register of Wooden Ships', 'rws')).toBe(true);
    expect(spellsOut('GNU is not Unix', 'gnu')).toBe(true);
    expect(spellsOut('a round-world sail', 'rws')).toBe(true);
    expect(spellsOut('Really wide and big sails', 'rws')).toBe(false);
    expect(spellsOut('Register', 'r')).toBe(false);
  });
});

it('advice is given by words that recommend', () => {
  const asked = 'What is the best rope for an anchor?';
  expect(first(asked, 'An anchor hangs on a rope.')).toBeNull();
  expect(first(asked, 'For an anchor we recommend a rope of nylon.')).toMatch(/nylon/);
  expect(
    first('What is the best way to coil a rope?', 'To coil a rope, turn it clockwise.'),
  ).toMatch(/clockwise/);
});

describe('a name of two words', () => {
  it('is no two names', () => {
    const asked = 'Does the harbour sell Blue Anchor?';
    expect(first(asked, 'The harbour of Blue Bay will sell an Anchor.')).toBeNull();
    expect(first(asked, 'The harbour sells Blue Anchor.')).toMatch(/Blue Anchor/);
  });

  it('may have an initial, come in the other order, or be the title', () => {
    const asked = 'What did Ada Larsen paint?';
    expect(first(asked, 'The gate was painted by Ada K. Larsen.')).toMatch(/gate/);
    expect(first(asked, 'Larsen, Ada: painted the gate.')).toMatch(/gate/);
  });
});

describe('words of a question', () => {
  it('match without their accents', () => {
    expect(first('Where did Zoe Beziers live?', 'Zoë Béziers lived on the quay.')).toMatch(/quay/);
  });

  it('match who does something by what is done, but not another verb that looks the same', () => {
    const asked = 'Who is the founder of the lifeboat crew?';
    const found =
      'Oars can be found in the lifeboat of the crew. The crew has a lifeboat, and oars are found there.';
    expect(first(asked, found, 'Ada Larsen founded the lifeboat crew.')).toMatch(/Larsen/);
  });
});

describe('what says nothing itself', () => {
  it('is an address', () => {
    expect(
      first('What is the tide planner?', '→ https://tide-planner.example/tide-planner'),
    ).toBeNull();
  });

  it('is a sentence that sends the reader elsewhere', () => {
    const pointer = 'See the manual for details on which ropes float by nature.';
    expect(
      first('Which ropes float by nature?', pointer, 'By nature, ropes of hemp do float well.'),
    ).toMatch(/hemp/);
  });

  it('is an entry that links to the page which explains it', () => {
    const entry = '- [Bollard](bollard.md): Explains what every harbour needs.';
    const page = 'The harbour was built for ships. A bollard is a post that ropes are tied to.';
    expect(first('What is a bollard?', entry, page)).toMatch(/post/);
  });
});

it('a definition may be a gloss in brackets', () => {
  const counts = 'Ropes are tied to a short iron post on the quay (bollard). Ships lie there.';
  expect(first('What is a bollard?', counts)).toMatch(/iron post/);
});

describe('of documents that say the same', () => {
  const asked = 'How do I coil a wet rope?';
  const text = 'Coil a wet rope loosely before it is stowed.';
  const chosen = (one: Partial<SearchHit>, other: Partial<SearchHit>): number | undefined => {
    const hits = [one, other].map((hit, at) => ({ ...fakeHit(`d${at}`, text), ...hit }));
    return extractAnswer({ question: asked, before: null, counts: null }, toSources(hits, []))[0]
      ?.hit;
  };

  it('the one whose title names what is asked comes first', () => {
    expect(chosen({}, {})).toBe(0);
    expect(chosen({ score: 0.5 }, { score: 0.3 })).toBe(0);
    expect(chosen({ score: 0.5 }, { score: 0.3, semantic_identifier: 'Coil a rope.md' })).toBe(1);
  });

  it('the one that begins with it comes first', () => {
    expect(chosen({ chunk_ind: 4 }, {})).toBe(1);
    const late = `The crew is small. It is paid well. Nobody sleeps. ${text}`;
    expect(chosen({ text: late }, { text })).toBe(1);
    const semantic_identifier = 'Coil a wet rope';
    const [better, opening] = [
      { score: 0.5, text: late },
      { score: 0.4, text },
    ];
    expect(chosen({ semantic_identifier, ...better }, { semantic_identifier, ...opening })).toBe(1);
  });
});

it('a recommended way is a way, not advice', () => {
  expect(readQuestion('What is the recommended way to coil a rope?', null).asksAdvice).toBe(false);
  expect(readQuestion('Which rope is recommended?', null).asksAdvice).toBe(true);
});

it('a definition is asked for by "meaning" behind a word, too', () => {
  expect(readQuestion('bollard meaning', null).kind).toBe('definition');
  expect(readQuestion('meaning bollard of iron', null).kind).toBe('other');
});
