import { describe, expect, it } from 'vitest';

import type { ChatModelPart, ModelUsage } from '#src/chat/model/chat-model.ts';
import { recordUsage } from '#src/chat/model/record-usage.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { fakeChatModel, say, think } from '#test/support/fake-chat-model.ts';

// Ids get their brand where rows are created; no row is created here.
const WORKSPACE = 'w' as WorkspaceId;
const USAGE: ModelUsage = { inputTokens: 9, outputTokens: 5, reasoningTokens: 2 };

async function usageOf(parts: (ChatModelPart | Error)[], stopAfter = Infinity): Promise<unknown[]> {
  const recorded: unknown[] = [];
  const ledger = {
    record: (...entry: unknown[]) => void recorded.push(entry[2]),
    idle: () => Promise.resolve(),
  };
  const model = recordUsage(fakeChatModel(parts), ledger, WORKSPACE);
  let count = 0;
  const { signal } = new AbortController();
  const messages = [{ role: 'user' as const, content: 'How many tokens is this?' }];
  try {
    for await (const part of model.stream({ messages, temperature: null, signal })) {
      count += part.type === 'finish' ? 0 : 1;
      if (count >= stopAfter) break;
    }
  } catch {
    // the error of the model does not matter here
  }
  return recorded;
}

describe('the usage of a model', () => {
  it('is what the provider reports', async () => {
    const finish: ChatModelPart = { type: 'finish', reason: 'stop', usage: USAGE };
    expect(await usageOf([say('Hello'), finish])).toEqual([USAGE]);
  });

  it.each([
    [
      'the provider reports none',
      [say('Hello there'), { type: 'finish', reason: 'stop', usage: null }],
      Infinity,
    ],
    ['the stream breaks', [say('Hello there'), new Error('broken')], Infinity],
    ['the consumer stops reading', [say('Hello there'), say('never read')], 1],
  ] as [string, (ChatModelPart | Error)[], number][])(
    'is estimated when %s',
    async (_when, parts, stopAfter) => {
      const [usage] = (await usageOf(parts, stopAfter)) as ModelUsage[];
      expect(usage?.inputTokens).toBeGreaterThan(3);
      expect(usage).toMatchObject({ outputTokens: 2, reasoningTokens: 0 });
    },
  );

  it('includes reasoning', async () => {
    const [usage] = (await usageOf([think('Hm hm'), new Error('broken')])) as ModelUsage[];
    expect(usage).toMatchObject({ outputTokens: 2, reasoningTokens: 2 });
  });

  it('is not recorded for a refused call', async () => {
    expect(await usageOf([new Error('401')])).toEqual([]);
  });
});
