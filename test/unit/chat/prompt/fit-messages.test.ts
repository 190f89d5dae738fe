import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { fitMessages } from '#src/chat/prompt/fit-messages.ts';
import { messageTokens } from '#src/chat/prompt/message-tokens.ts';

const SYSTEM: ChatModelMessage = { role: 'system', content: 'Be brief.' };
const QUESTION: ChatModelMessage = { role: 'user', content: 'Which berth is free?' };

/** A text of that many tokens. */
const words = (tokens: number, word = 'berth'): string => `${word} `.repeat(tokens);
const ask = (content: string): ChatModelMessage => ({ role: 'user', content });
const answer = (content: string): ChatModelMessage => ({ role: 'assistant', content });
/** A message with tool calls, followed by their results. */
const step = (name: string, ...results: string[]): ChatModelMessage[] => [
  {
    role: 'assistant',
    content: '',
    toolCalls: results.map((_, index) => ({
      id: `${name}${index}`,
      name: 'search',
      arguments: '{}',
    })),
  },
  ...results.map((content, index) => ({
    role: 'tool' as const,
    toolCallId: `${name}${index}`,
    toolName: 'search',
    content,
  })),
];

const tokensOf = (messages: readonly ChatModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);
const results = (messages: readonly ChatModelMessage[]): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));

/** Every result follows the message that requested it, and every call has its result. */
function expectWholeSteps(messages: readonly ChatModelMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open).toContain(message.toolCallId);
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    expect(open).toEqual([]);
    if (message.role === 'assistant') open = (message.toolCalls ?? []).map(({ id }) => id);
  }
  expect(open).toEqual([]);
}

describe('messages that exceed the context', () => {
  it('stay unchanged while they fit', () => {
    const messages = [SYSTEM, ask('a'), answer('b'), QUESTION, ...step('s', words(900))];
    expect(fitMessages(messages, tokensOf(messages))).toEqual(messages);
  });

  it('lose the ends of earlier results first, with a note', () => {
    const messages = [
      SYSTEM,
      ask('Hello'),
      answer(words(300)),
      QUESTION,
      ...step('a', words(3_000), words(100)),
      ...step('b', words(3_000)),
    ];
    const fitted = fitMessages(messages, 5_000);
    expect(tokensOf(fitted)).toBeLessThanOrEqual(5_000);
    const [first = '', second, last] = results(fitted);
    expect(first).toMatch(
      /^berth .* berth\s\n\[Cut: \d+ of 18000 characters were left out here\.\]$/,
    );
    expect([second, last]).toEqual([words(100), words(3_000)]);
    expect(fitted.slice(0, 4)).toEqual(messages.slice(0, 4));
  });

  it('lose the longest results of all earlier steps first', () => {
    const messages = [
      SYSTEM,
      QUESTION,
      ...step('a', ...Array.from({ length: 3 }, () => words(10_000))),
      ...step('b', ...Array.from({ length: 3 }, () => words(10_000))),
    ];
    const fitted = fitMessages(messages, 48_000);
    expect(tokensOf(fitted)).toBeLessThanOrEqual(48_000);
    expect(results(fitted).slice(3)).toEqual(Array.from({ length: 3 }, () => words(10_000)));
  });

  it('lose a little of the last results before turns are dropped', () => {
    const history = [ask('Hello'), answer(words(300))];
    const messages = [SYSTEM, ...history, QUESTION, ...step('a', words(9_000), words(2_000))];
    const fitted = fitMessages(messages, 7_000);
    expect(tokensOf(fitted)).toBeLessThanOrEqual(7_000);
    expect(fitted.slice(1, 3)).toEqual(history);
    expect(results(fitted)[1]).toBe(words(2_000));
  });

  it('lose the oldest turns next, with a note, and no answer stays without its question', () => {
    const messages = [
      SYSTEM,
      ask(words(1_000, 'oldest')),
      answer(words(1_000, 'old')),
      ask('newer'),
      answer('newest'),
      QUESTION,
      ...step('a', words(3_000)),
    ];
    const fitted = fitMessages(messages, 4_500);
    expect(tokensOf(fitted)).toBeLessThanOrEqual(4_500);
    expect(fitted).toEqual([
      {
        role: 'system',
        content:
          'Be brief.\n\nThe 2 earliest messages of this conversation were left out for its length.',
      },
      ...messages.slice(3),
    ]);
    // The note appears once, however often turns are dropped.
    const [again] = fitMessages([...fitted, ...step('b', words(3_900))], 4_000);
    expect(again?.content).toBe(
      'Be brief.\n\nThe 4 earliest messages of this conversation were left out for its length.',
    );
  });

  it('keep the system message, the question and the last step longest', () => {
    const messages = [
      SYSTEM,
      ask('Hello'),
      answer('Hello'),
      QUESTION,
      ...step('a', words(900)),
      ...step('b', words(900)),
      ...step('c', words(900)),
    ];
    const fitted = fitMessages(messages, 260);
    expect(tokensOf(fitted)).toBeLessThanOrEqual(260);
    expect(fitted[0]?.content).toMatch(/^Be brief\./);
    expect(fitted[1]).toEqual(QUESTION);
    expect(fitted.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c0' });
    expectWholeSteps(fitted);
  });

  it('lose the middle of a question that exceeds the context on its own', () => {
    const long = `${words(2_000, 'first')}Which berth?`;
    const [, question] = fitMessages([SYSTEM, ask(long)], 500);
    expect(question?.content).toMatch(/^first .*\n\[Cut: .*\]\n[^]*Which berth\?$/);
    expect(tokensOf(fitMessages([SYSTEM, ask(long)], 500))).toBeLessThanOrEqual(500);
  });

  it('include images in the count', () => {
    const images = Array.from({ length: 3 }, () => ({
      mediaType: 'image/png',
      bytes: Uint8Array.of(1),
    }));
    const messages: ChatModelMessage[] = [
      SYSTEM,
      ask(words(500)),
      answer(words(500)),
      { role: 'user', content: 'Which berth is free?', images },
    ];
    expect(fitMessages(messages, 3_200)).toHaveLength(2);
    expect(fitMessages(messages, 4_200)).toHaveLength(4);
  });

  it('always fit, in whole steps', () => {
    const text = fc
      .tuple(fc.nat(700), fc.constantFrom('berth ', '漢字', '😀', '<a b="c">', 'x1 '))
      .map(([times, piece]) => piece.repeat(times));
    const turn = fc.tuple(text, text).map(([asked, told]) => [ask(asked), answer(told)]);
    const toolStep = fc
      .array(text, { minLength: 1, maxLength: 3 })
      .map((contents) => step(`t${Math.random()}`, ...contents));
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 5 }),
        text,
        fc.array(toolStep, { maxLength: 4 }),
        fc.integer({ min: 700, max: 6_000 }),
        (turns, question, steps, budget) => {
          const messages = [SYSTEM, ...turns.flat(), ask(question), ...steps.flat()];
          const fitted = fitMessages(messages, budget);
          expect(tokensOf(fitted)).toBeLessThanOrEqual(budget);
          expectWholeSteps(fitted);
          expect(fitted[0]?.role).toBe('system');
          expect(fitted.filter(({ role }) => role === 'user').length).toBeGreaterThan(0);
          if (fitted.length < messages.length) expect(fitted[1]?.role).toBe('user');
        },
      ),
      { numRuns: 300 },
    );
  });
});
