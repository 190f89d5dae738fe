import { describe, expect, it } from 'vitest';

import type { ChatModelMessage, ModelTool } from '#src/chat/model/chat-model.ts';
import { askLlm, finished, reasoning, text, toolCall } from '#test/support/ask-llm.ts';
import {
  answersText,
  callsTools,
  chunkEvent,
  endEvents,
  plays,
  playsAndBreaks,
  playsBytes,
  playsEndlessly,
  playsSlowly,
  reasoningEvent,
  startScriptedLlm,
  textEvent,
  toolCallEvent,
  toolCallEvents,
} from '#test/support/scripted-llm.ts';

const SEARCH: ModelTool = {
  name: 'internal_search',
  description: 'Searches.',
  parameters: { type: 'object', properties: { queries: { type: 'array' } } },
};
const tools = [SEARCH];

describe('a tool call', () => {
  it('is offered with the schema of the tool and returns its arguments as written', async () => {
    const written = '{ "queries": ["berth plan"] }';
    await using llm = await startScriptedLlm(
      callsTools([{ name: 'internal_search', args: written, id: 'c1' }], 4),
    );
    expect(await askLlm(llm, { tools })).toEqual({
      parts: [toolCall('c1', 'internal_search', written), finished('tool-calls')],
      failure: null,
    });
    expect(llm.calls[0]?.body).toMatchObject({
      tool_choice: 'auto',
      tools: [
        {
          type: 'function',
          function: {
            name: 'internal_search',
            description: 'Searches.',
            parameters: SEARCH.parameters,
          },
        },
      ],
    });
  });

  it('can be required', async () => {
    await using llm = await startScriptedLlm(answersText('No'));
    await askLlm(llm, { tools, toolChoice: 'required' });
    expect(llm.calls[0]?.body).toMatchObject({ tool_choice: 'required' });
  });

  it.each([
    ['no tools are offered', { tools: [] }, {}],
    ['the model does not support tool calls', { tools }, { callsTools: false }],
  ])('is not requested when %s', async (_name, request, settings) => {
    await using llm = await startScriptedLlm(answersText('No'));
    await askLlm(llm, { ...request, toolChoice: 'required' }, settings);
    expect(llm.calls[0]?.body).not.toHaveProperty('tools');
    expect(llm.calls[0]?.body).not.toHaveProperty('tool_choice');
  });

  it('is returned in order when several are streamed at once in pieces', async () => {
    const calls = [
      { name: 'internal_search', args: { queries: ['a'] } },
      { name: 'open_url', args: { urls: ['https://a.example/'] } },
      { name: 'internal_search', args: { queries: ['b'] } },
    ];
    await using llm = await startScriptedLlm(callsTools(calls, 3));
    expect((await askLlm(llm, { tools })).parts).toEqual([
      toolCall('call_0', 'internal_search', '{"queries":["a"]}'),
      toolCall('call_1', 'open_url', '{"urls":["https://a.example/"]}'),
      toolCall('call_2', 'internal_search', '{"queries":["b"]}'),
      finished('tool-calls'),
    ]);
  });

  it('comes after reasoning and text', async () => {
    await using llm = await startScriptedLlm(
      plays(
        reasoningEvent('Hm'),
        textEvent('Let me see.'),
        ...toolCallEvents([{ name: 'internal_search', args: {} }]),
        endEvents('tool_calls'),
      ),
    );
    expect((await askLlm(llm, { tools })).parts).toEqual([
      reasoning('Hm'),
      text('Let me see.'),
      toolCall('call_0', 'internal_search', '{}'),
      { ...finished('tool-calls'), state: { reasoning_content: 'Hm' } },
    ]);
  });

  it.each([
    ['no JSON', '{"queries": ["a'],
    ['not an object', '"a"'],
    ['nothing', ''],
    ['two objects', '{"a":1}{"b":2}'],
    ['a prototype', '{"__proto__": {"x": 1}}'],
    ['too deeply nested', '['.repeat(5_000)],
  ])('is returned even if its arguments are %s', async (_name, written) => {
    await using llm = await startScriptedLlm(
      callsTools([{ name: 'internal_search', args: written }]),
    );
    expect(await askLlm(llm, { tools })).toEqual({
      parts: [toolCall('call_0', 'internal_search', written), finished('tool-calls')],
      failure: null,
    });
  });

  it('is returned even if there is no such tool, or none at all', async () => {
    await using llm = await startScriptedLlm(callsTools([{ name: 'rm -rf', args: {} }]));
    const parts = [toolCall('call_0', 'rm -rf', '{}'), finished('tool-calls')];
    expect((await askLlm(llm, { tools })).parts).toEqual(parts);
    expect((await askLlm(llm)).parts).toEqual(parts);
  });

  it('gets its own id when the server sends none or a duplicate', async () => {
    const named = (index: number, id?: string): string =>
      toolCallEvent({
        index,
        ...(id === undefined ? {} : { id }),
        function: { name: 'internal_search', arguments: '{}' },
      });
    await using llm = await startScriptedLlm(
      plays(named(0), named(1, 'x'), named(2, 'x'), endEvents('tool_calls')),
    );
    const ids = (await askLlm(llm, { tools })).parts.flatMap((part) =>
      part.type === 'tool-call' ? [part.call.id] : [],
    );
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id !== '')).toBe(true);
  });

  it('ends the answer as a tool call, even when the server says `stop`', async () => {
    await using llm = await startScriptedLlm(
      plays(...toolCallEvents([{ name: 'internal_search', args: {} }]), endEvents('stop')),
    );
    expect((await askLlm(llm, { tools })).parts.at(-1)).toEqual(finished('tool-calls'));
  });

  it('is returned as far as it got when the length limit cuts it off', async () => {
    await using llm = await startScriptedLlm(
      plays(
        ...toolCallEvents([{ name: 'internal_search', args: '{"queries": ["a' }]),
        endEvents('length'),
      ),
    );
    expect((await askLlm(llm, { tools })).parts).toEqual([
      toolCall('call_0', 'internal_search', '{"queries": ["a'),
      finished('length'),
    ]);
  });

  it('is not returned when the connection breaks before it is complete', async () => {
    const events = toolCallEvents([{ name: 'internal_search', args: { queries: ['a', 'b'] } }], 2);
    for (const script of [playsAndBreaks(...events), plays(...events)]) {
      await using llm = await startScriptedLlm(script, answersText('Better now'));
      // Nothing had been returned yet, so a retry is safe.
      expect((await askLlm(llm, { tools })).parts).toEqual([text('Better now'), finished()]);
      expect(llm.calls).toHaveLength(2);
    }
  });

  it('is intact when it arrives byte by byte', async () => {
    const args = { queries: ['Größe 漢字 😀'] };
    await using llm = await startScriptedLlm(
      playsBytes(
        1,
        ...toolCallEvents([{ name: 'internal_search', args }], 2),
        endEvents('tool_calls'),
      ),
    );
    expect((await askLlm(llm, { tools })).parts[0]).toEqual(
      toolCall('call_0', 'internal_search', JSON.stringify(args)),
    );
  });

  it('counts toward the length limit', async () => {
    const start = toolCallEvents([{ name: 'internal_search', args: '{"queries":["' }]).join('');
    const more = toolCallEvent({ index: 0, function: { arguments: '12345678' } });
    await using llm = await startScriptedLlm(playsEndlessly(more, start));
    expect((await askLlm(llm, { tools }, { maxCharacters: 1_000 })).parts).toEqual([
      finished('length'),
    ]);
    await expect.poll(() => llm.inProgress()).toBe(0);
  });

  it('may take long as long as data keeps arriving', async () => {
    const events = toolCallEvents([{ name: 'internal_search', args: 'x'.repeat(40) }], 10);
    await using llm = await startScriptedLlm(playsSlowly(60, ...events, endEvents('tool_calls')));
    const timings = { firstTokenMs: 500, betweenTokensMs: 500 };
    expect((await askLlm(llm, { tools }, { timings })).failure).toBeNull();
  });

  it('without a name fails the request', async () => {
    await using llm = await startScriptedLlm(
      plays(toolCallEvent({ index: 0, id: 'a', function: { arguments: '{}' } }), endEvents('stop')),
    );
    expect((await askLlm(llm, { tools })).failure).toMatchObject({ errorCode: 'API_ERROR' });
  });
});

describe('the message history', () => {
  const history: ChatModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Which berth?' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'internal_search', arguments: '{ "queries": ["berth"] }' },
        { id: 'b', name: 'open_url', arguments: '{"urls": [' },
      ],
    },
    { role: 'tool', toolCallId: 'a', toolName: 'internal_search', content: '{"results":[]}' },
    { role: 'tool', toolCallId: 'b', toolName: 'open_url', content: 'The arguments are no JSON.' },
  ];

  it('is sent with its calls and their results', async () => {
    await using llm = await startScriptedLlm(answersText('Seven'));
    expect((await askLlm(llm, { messages: history, tools })).parts).toEqual([
      text('Seven'),
      finished(),
    ]);
    expect(llm.calls[0]?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Which berth?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'internal_search', arguments: '{ "queries": ["berth"] }' },
          },
          // Invalid JSON is quoted, because servers parse the arguments they are sent.
          {
            id: 'b',
            type: 'function',
            function: { name: 'open_url', arguments: String.raw`"{\"urls\": ["` },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"results":[]}' },
      { role: 'tool', tool_call_id: 'b', content: 'The arguments are no JSON.' },
    ]);
  });

  it('includes images only for a model that reads them', async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const messages: ChatModelMessage[] = [
      { role: 'user', content: 'What is this?', images: [{ mediaType: 'image/png', bytes }] },
    ];
    await using llm = await startScriptedLlm(answersText('A ship'));
    await askLlm(llm, { messages }, { readsImages: true });
    await askLlm(llm, { messages }, { readsImages: false });
    expect(llm.calls.map(({ body }) => body.messages)).toEqual([
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
          ],
        },
      ],
      [{ role: 'user', content: 'What is this?' }],
    ]);
  });

  it('allows an answer in content parts', async () => {
    const content = [{ type: 'text', text: 'Seven' }];
    await using llm = await startScriptedLlm(plays(chunkEvent({ content }), endEvents()));
    expect((await askLlm(llm)).parts).toEqual([text('Seven'), finished()]);
  });
});
