import { describe, expect, it } from 'vitest';

import { extractAnswer } from '#src/chat/extract/extract-answer.ts';
import { subjectOf } from '#src/chat/extract/subject-of.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

/** The first quote from documents that are equally good. */
function first(question: string, ...texts: string[]): string | undefined {
  const hits = texts.map((text, at) => fakeHit(`d${at}`, text));
  return extractAnswer({ question, before: null, counts: null }, toSources(hits, []))[0]?.text;
}

describe('what defines a word', () => {
  it('has everything asked for as its subject', () => {
    const part =
      'A hatch is a door in the deck. The cargo hatch leaks, and a cargo hatch is heavy.';
    const whole = 'Sailors close it at sea. A cargo hatch is a door to the hold.';
    expect(first('What is a cargo hatch?', part, whole)).toMatch(/door to the hold/);
  });

  it('has at most one word more as its subject', () => {
    const other = 'A spare cargo hatch winch is a machine for emergencies. A cargo hatch needs it.';
    const oneMore = 'Most ships have several. A steel cargo hatch is a door to the hold.';
    expect(first('What is a cargo hatch?', other, oneMore)).toMatch(/door to the hold/);
  });

  it('ignores the question words: "mean" need not be in the subject', () => {
    const mention = 'Sailors paint the bollard each May. No bollard is ever dry.';
    const entry = 'Bollard is the short post that ropes are tied to.';
    expect(first('What does bollard mean?', mention, entry)).toMatch(/short post/);
  });

  it('may stand before a hyphen between blanks', () => {
    expect(subjectOf('Cargo hatch - A door to the hold of a ship')).toBe('Cargo hatch');
    expect(subjectOf('A well-kept hatch')).toBe('');
  });

  it('may be in a document far down the results', () => {
    const mentions = Array.from(
      { length: 9 },
      (_, at) =>
        `Crew ${at} paints bollard by bollard. Then ropes lie round a bollard, ${at} times.`,
    );
    const entry =
      'A small bollard is a short post that ropes are tied to, and it stands on the quay.';
    expect(first('What is a bollard?', ...mentions, entry)).toMatch(/short post/);
  });
});
