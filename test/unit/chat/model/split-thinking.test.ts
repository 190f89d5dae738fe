import { describe, expect, it } from 'vitest';

import { ThinkingSplitter } from '#src/chat/model/split-thinking.ts';

interface Split {
  reasoning: string;
  text: string;
}

function split(deltas: readonly string[], isComplete = true): Split {
  const splitter = new ThinkingSplitter();
  const said: Split = { reasoning: '', text: '' };
  for (const delta of deltas)
    for (const { type, text } of splitter.write(delta)) said[type] += text;
  for (const { type, text } of splitter.end(isComplete)) said[type] += text;
  return said;
}

/** Split in two at every position, and character by character. */
function everySplit(content: string): string[][] {
  const letters = content.split('');
  const twos = letters.map((_, at) => [content.slice(0, at), content.slice(at)]);
  return [...twos, letters];
}

describe('thinking in the content of an answer', () => {
  it.each<[name: string, content: string, reasoning: string, text: string]>([
    ['stands before the answer', '<think>\nHm.\n</think>\n\nYes.', '\nHm.\n', '\n\nYes.'],
    ['is empty', '<think>\n\n</think>\n\nYes.', '\n\n', '\n\nYes.'],
    ['has other names', ' <thinking>Hm</thinking>Yes', 'Hm', 'Yes'],
    ['is called a thought', '<thought>Hm</thought>Yes', 'Hm', 'Yes'],
    ['comes twice', '<think>One</think>\n<think>Two</think>Yes', 'OneTwo', 'Yes'],
    [
      'mentions its tag in code',
      '<think>`</think>` ends it</think>Yes',
      '`</think>` ends it',
      'Yes',
    ],
    ['ends with code', '<think>use `x`</think>Yes', 'use `x`', 'Yes'],
    ['holds other tags', '<think>a < b </thin> </b></think>Yes', 'a < b </thin> </b>', 'Yes'],
  ])(
    'is separated from the text wherever it is split, when it %s',
    (_name, content, reasoning, text) => {
      for (const deltas of everySplit(content))
        expect(split(deltas), JSON.stringify(deltas)).toEqual({ reasoning, text });
    },
  );

  it.each([
    'Use `<think>` and `</think>`.',
    '`<think>` opens it, `</think>` closes it.',
    '```xml\n<think>Hm</think>\n```',
    'Yes.\n<think>late</think> No.',
    '<thin> <thinker>x</thinker>',
    'a </think> b',
    '< think >',
    '<',
    '  indented',
  ])('is not found in an answer that mentions the tag: %s', (content) => {
    for (const deltas of everySplit(content))
      expect(split(deltas), JSON.stringify(deltas)).toEqual({ reasoning: '', text: content });
  });

  it('is everything when the answer is cut off', () => {
    for (const deltas of everySplit('<think>\nHm, let'))
      expect(split(deltas, false)).toEqual({ reasoning: '\nHm, let', text: '' });
  });

  it('becomes the answer when the model finished without closing it', () => {
    for (const deltas of everySplit('<think>\nIt is seven.'))
      expect(split(deltas)).toEqual({ reasoning: '\nIt is seven.', text: 'It is seven.' });
    for (const deltas of everySplit('<think> is a tag.'))
      expect(split(deltas)).toEqual({ reasoning: ' is a tag.', text: '<think> is a tag.' });
  });

  it('is empty for white space alone', () => {
    expect(split(['\n', ' '])).toEqual({ reasoning: '', text: '' });
    expect(split(['<think>', '</think>', '\n'])).toEqual({ reasoning: '', text: '' });
  });
});
