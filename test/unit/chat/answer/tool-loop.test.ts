import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { showCustomFailure } from '#src/chat/custom-tools/show-failure.ts';
import { defineTool, type Tool } from '#src/chat/tools/tool.ts';
import { callTool, fakeChatModel, say } from '#test/support/fake-chat-model.ts';
import {
  echo,
  generated,
  MESSAGE,
  SEARCH,
  searchFor,
  VPN,
} from '#test/support/generated-answer.ts';

const strict = defineTool({
  id: 1_000,
  name: 'strict',
  description: 'Takes a text.',
  input: z.object({ text: z.string() }),
  showFailure: (failure) => showCustomFailure({ name: 'strict', id: 1_000 }, failure),
  async *run({ text }) {
    yield { type: 'custom_tool_start', tool_name: 'strict', tool_id: 1_000 };
    return { text, documents: [] };
  },
});

describe('tool calls in an answer', () => {
  it('share the turn of the text before them, in the tabs beside it', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0 ? [say('Let me see.'), callTool('echo', { text: 'x' })] : [say('Done.')],
    );
    const { order } = await generated({ model, tools: [echo] });
    expect(order).toEqual([
      ...MESSAGE(0),
      // The end of its paragraph.
      'T0.0 message_delta',
      'T0.1 custom_tool_start',
      'T0.1 custom_tool_delta',
      'T0.1 section_end',
      ...MESSAGE(1),
    ]);
  });

  it('with wrong arguments are shown in the packets of the tool, without a gap in the turns', async () => {
    for (const args of ['{"text": ', '[]', '{"text": 1}']) {
      const model = fakeChatModel((_request, call) =>
        call === 0
          ? [{ type: 'tool-call', call: { id: '1', name: 'strict', arguments: args } }]
          : [say('Sorry.')],
      );
      const { order, packets } = await generated({ model, tools: [strict] });
      expect(order).toEqual([
        'T0.0 custom_tool_start',
        'T0.0 custom_tool_delta',
        'T0.0 section_end',
        ...MESSAGE(1),
      ]);
      expect(packets[1]?.obj).toMatchObject({ error: { status_code: 400 } });
    }
  });

  it('that show nothing leave no gap in the turns', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0 ? [callTool('nothing', {})] : [say('Sorry.')],
    );
    const { order } = await generated({ model, tools: [echo] });
    expect(order).toEqual(MESSAGE(0));
  });

  it('end the paragraph of the text before them', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0 ? [say('Let me look.'), callTool('echo', { text: 'x' })] : [say('Done.')],
    );
    const { packets } = await generated({ model, tools: [echo] });
    const said = packets.map(({ obj }) => (obj.type === 'message_delta' ? obj.content : ''));
    expect(said.join('')).toBe('Let me look.\n\nDone.');
  });

  it('run in parallel tabs, with all starts first, and merge their searches', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0
        ? [
            callTool('internal_search', { queries: ['a'] }, '1'),
            callTool('echo', { text: 'x' }, '2'),
            callTool('internal_search', { queries: ['b', 'a'] }, '3'),
          ]
        : [say('Done.')],
    );
    const { order, calls } = await generated({ model, tools: [searchFor(VPN), echo] });
    expect(order.slice(0, 3)).toEqual([
      'T0.0 top_level_branching',
      'T0.0 search_tool_start',
      'T0.1 custom_tool_start',
    ]);
    expect(order.slice(3, -2).toSorted()).toEqual(
      [
        'T0.0 search_tool_documents_delta',
        'T0.0 search_tool_queries_delta',
        'T0.0 section_end',
        'T0.1 custom_tool_delta',
        'T0.1 section_end',
      ].toSorted(),
    );
    expect(order.slice(-2)).toEqual(MESSAGE(1));
    expect(calls.map(({ tool_arguments }) => tool_arguments)).toEqual([
      { queries: ['a', 'b'] },
      { text: 'x' },
    ]);
    const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool');
    expect(results?.map((result) => 'toolCallId' in result && result.toolCallId)).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it.each([
    ['a tool that does not exist', callTool('nothing', {}), /no tool named nothing.*echo/],
    ['arguments that are not JSON', callTool('echo', '{"text": '), /not a JSON object/],
    ['arguments that are not an object', callTool('echo', '[1]'), /not a JSON object/],
    ['arguments of the wrong shape', callTool('echo', { txt: 1 }), /arguments are wrong/],
  ])('report %s to the model and show nothing', async (_what, call, sentence) => {
    const model = fakeChatModel((_request, at) => (at === 0 ? [call] : [say('Sorry.')]));
    const { order } = await generated({ model, tools: [echo] });
    expect(order).toEqual(MESSAGE(0));
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(sentence);
  });

  it('continue after a tool failure and close its block, but not after a bug', async () => {
    const failing = fakeChatModel((_request, at) =>
      at === 0 ? [callTool('echo', { text: 'fail' })] : [say('Sorry.')],
    );
    const { order } = await generated({ model: failing, tools: [echo] });
    expect(order).toEqual(['T0.0 custom_tool_start', 'T0.0 section_end', ...MESSAGE(1)]);
    expect(failing.requests[1]?.messages.at(-1)?.content).toContain('The echo is gone.');
    const crashing = fakeChatModel([callTool('echo', { text: 'crash' })]);
    await expect(generated({ model: crashing, tools: [echo] })).rejects.toThrow('a bug');
  });

  it('end after six model requests, the last one without tools', async () => {
    const model = fakeChatModel((request) =>
      request.tools?.length ? [callTool('echo', { text: 'again' })] : [say('Enough.')],
    );
    const { order } = await generated({ model, tools: [echo] });
    expect(model.requests).toHaveLength(6);
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, 1, 1, 1, 0]);
    expect(order.slice(-2)).toEqual(MESSAGE(5));
  });

  it('end after a tool marked as last', async () => {
    const painter: Tool = { ...echo, name: 'paint', isLast: true };
    const model = fakeChatModel((_request, at) =>
      at === 0 ? [callTool('paint', { text: 'a cat' })] : [say('A cat.')],
    );
    await generated({ model, tools: [painter, echo] });
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([2, 0]);
  });

  it('start with only a forced tool, which is required', async () => {
    const model = fakeChatModel((_request, at) =>
      at === 0 ? [callTool('echo', { text: 'x' })] : [say('Done.')],
    );
    const { order } = await generated({ model, tools: [searchFor(VPN), echo], forcedToolId: 1000 });
    expect(order[0]).toBe('T0.0 custom_tool_start');
    const shown = model.requests.map(({ tools, toolChoice }) => [
      tools?.map(({ name }) => name),
      toolChoice,
    ]);
    expect(shown).toEqual([
      [['echo'], 'required'],
      [['internal_search', 'echo'], 'auto'],
    ]);
  });

  it('fall back to a forced search with the user’s words when the model does not search', async () => {
    const model = fakeChatModel((_request, at) => [say(at === 0 ? 'From memory.' : 'Portal [1].')]);
    const { order, calls } = await generated({ model, forcedToolId: 1 });
    expect(order.slice(0, 5)).toEqual([...SEARCH(0), 'T0.0 section_end', 'T1.0 message_start']);
    expect(calls[0]?.tool_arguments).toEqual({ queries: ['How do I reset the VPN?'] });
  });
});
