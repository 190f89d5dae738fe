import { describe, expect, it } from 'vitest';

import type { ChatModelMessage, ChatModelPart } from '#src/chat/model/chat-model.ts';
import { askLlm, finished, reasoning, text, toolCall } from '#test/support/ask-llm.ts';
import {
  answersText,
  chunkEvent,
  DONE,
  END_EVENTS,
  endEvents,
  plays,
  playsBytes,
  reasoningEvent,
  startScriptedLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';

const ofType = (parts: readonly ChatModelPart[], type: 'text' | 'reasoning'): string =>
  parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');

const rawCall = (call: object): string => chunkEvent({ tool_calls: [call] });
const user: ChatModelMessage = { role: 'user', content: 'Hi' };

describe('an answer in a provider dialect', () => {
  it.each([1, 2, 3, 5, 1_000])(
    'separates <think> from text in deltas of %s characters',
    async (size) => {
      const content = '<think>\nLet me see…\n</think>\n\nUse `<think>` 😀.';
      const pieces = content.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
      await using llm = await startScriptedLlm(plays(...pieces.map(textEvent), END_EVENTS));
      const { parts } = await askLlm(llm);
      expect(ofType(parts, 'reasoning').trim()).toBe('Let me see…');
      expect(ofType(parts, 'text').trim()).toBe('Use `<think>` 😀.');
    },
  );

  it('that is cut off while thinking has no text', async () => {
    await using llm = await startScriptedLlm(
      plays(textEvent('<think>\nHm, let'), endEvents('length')),
    );
    expect((await askLlm(llm)).parts).toEqual([reasoning('\nHm, let'), finished('length')]);
  });

  it('may have tool arguments as an object', async () => {
    await using llm = await startScriptedLlm(
      plays(
        rawCall({ index: 0, id: 'c1', function: { name: 'find', arguments: { q: ['a'] } } }),
        endEvents('tool_calls'),
      ),
    );
    expect((await askLlm(llm)).parts).toEqual([
      toolCall('c1', 'find', '{"q":["a"]}'),
      finished('tool-calls'),
    ]);
  });

  it('may have calls without an index, whole or in pieces', async () => {
    await using llm = await startScriptedLlm(
      plays(
        rawCall({ id: 'a', function: { name: 'find', arguments: '{"q":' } }),
        rawCall({ function: { arguments: '1}' } }),
        rawCall({ id: 'b', function: { name: 'open', arguments: '{}' } }),
        endEvents('tool_calls'),
      ),
    );
    expect((await askLlm(llm)).parts).toEqual([
      toolCall('a', 'find', '{"q":1}'),
      toolCall('b', 'open', '{}'),
      finished('tool-calls'),
    ]);
  });

  it.each([1, 7, 1_000])(
    'is complete with [DONE] but no finish reason, in chunks of %s bytes',
    async (size) => {
      await using llm = await startScriptedLlm(
        playsBytes(size, textEvent('Yes, “finish_reason”: '), textEvent('é'), DONE),
      );
      expect(await askLlm(llm)).toEqual({
        parts: [text('Yes, “finish_reason”: '), text('é'), finished()],
        failure: null,
      });
    },
  );

  it('is complete with [DONE] after reasoning and a call', async () => {
    const call = { index: 0, id: 'a', function: { name: 'find', arguments: '{}' } };
    await using llm = await startScriptedLlm(plays(reasoningEvent('Hm'), rawCall(call), DONE));
    expect((await askLlm(llm)).parts.map(({ type }) => type)).toEqual([
      'reasoning',
      'tool-call',
      'finish',
    ]);
  });

  it('is incomplete with [DONE] after reasoning alone', async () => {
    await using llm = await startScriptedLlm(plays(reasoningEvent('Hm'), DONE));
    expect((await askLlm(llm)).failure).toMatchObject({ errorCode: 'CONNECTION_ERROR' });
  });

  it('may contain pings, other roles and a null error', async () => {
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
    const chunk = {
      error: null,
      choices: [{ index: 0, delta: { role: 'model', content: 'Yes' } }],
    };
    await using llm = await startScriptedLlm(
      plays(ping, `data: ${JSON.stringify(chunk)}\r\n\r\n`, ping, END_EVENTS),
    );
    expect((await askLlm(llm)).parts).toEqual([text('Yes'), finished()]);
  });
});

describe('provider state', () => {
  const call = {
    index: 0,
    id: 'a',
    function: { name: 'find', arguments: '{}' },
    extra_content: { acme: { seal: 's1', n: [1] } },
    provider_specific_fields: { k: 'v' },
  };

  it('is sent back unchanged, whatever its name', async () => {
    await using llm = await startScriptedLlm(
      plays(
        chunkEvent({ reasoning_content: 'Hm', extra_content: { acme: { mood: 1 } } }),
        chunkEvent({ reasoning_content: '…' }),
        rawCall(call),
        endEvents('tool_calls'),
      ),
      answersText('Yes'),
    );
    const { parts } = await askLlm(llm);
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
    const state = parts.flatMap((part) => (part.type === 'finish' ? [part.state ?? {}] : []))[0];
    const messages: ChatModelMessage[] = [
      user,
      { role: 'assistant', content: '', toolCalls: calls, ...(state && { state }) },
      { role: 'tool', toolCallId: 'a', toolName: 'find', content: 'found' },
    ];
    await askLlm(llm, { messages });
    expect(llm.calls[1]?.body.messages[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm…',
      extra_content: { acme: { mood: 1 } },
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'find', arguments: '{}' },
          extra_content: { acme: { seal: 's1', n: [1] } },
          provider_specific_fields: { k: 'v' },
        },
      ],
    });
  });

  it('is omitted when no tool was called', async () => {
    await using llm = await startScriptedLlm(
      plays(reasoningEvent('Hm'), textEvent('Yes'), END_EVENTS),
    );
    expect((await askLlm(llm)).parts.at(-1)).toEqual(finished());
  });
});
