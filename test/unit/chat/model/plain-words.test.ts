import { expect, it } from 'vitest';

import { plainWords } from '#src/chat/model/plain-words.ts';

function chunkOf(delta: object, rest: object = {}, choice: object = {}): object {
  return { id: 'c', choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...rest };
}

it.each([
  ['text', { role: 'assistant', content: 'a' }, { reasoning: '', text: 'a' }],
  [
    'absent members',
    { content: 'a', refusal: null, tool_calls: null },
    { reasoning: '', text: 'a' },
  ],
  ['reasoning', { reasoning_content: 'r', content: null }, { reasoning: 'r', text: '' }],
  ['reasoning by its other name', { reasoning: 'r' }, { reasoning: 'r', text: '' }],
  ['both', { reasoning: 'r', reasoning_content: 's' }, { reasoning: 's', text: '' }],
  ['both the other way', { reasoning_content: 's', reasoning: 'r' }, { reasoning: 's', text: '' }],
])('reads a chunk with nothing but words: %s', (_, delta, words) => {
  expect(plainWords(chunkOf(delta))).toEqual(words);
  expect(plainWords(chunkOf(delta, { error: null, usage: null }))).toEqual(words);
});

it('reads a chunk without choices as one without words', () => {
  expect(plainWords({ choices: [] })).toEqual({ reasoning: '', text: '' });
});

it.each([
  ['no object', 'a'],
  ['no choices', {}],
  ['two choices', { choices: [{ delta: {} }, { delta: {} }] }],
  ['no delta', { choices: [{}] }],
  ['an error', chunkOf({ content: 'a' }, { error: { message: 'no' } })],
  ['usage', chunkOf({ content: 'a' }, { usage: { prompt_tokens: 1 } })],
  ['usage without choices', { choices: [], usage: { prompt_tokens: 1 } }],
  ['a finish reason', chunkOf({ content: 'a' }, {}, { finish_reason: 'stop' })],
  ['a tool call', chunkOf({ content: 'a', tool_calls: [] })],
  ['a refusal', chunkOf({ refusal: 'no' })],
  ['content in parts', chunkOf({ content: [{ type: 'text', text: 'a' }] })],
])('leaves any other chunk to the library: %s', (_, chunk) => {
  expect(plainWords(chunk)).toBeNull();
});
