import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { ChatModelMessage } from '#src/chat/chat-model.ts';
import { generateAnswer, type GenerateInput } from '#src/chat/generate-answer.ts';
import { type Packet, packetSchema } from '#src/chat/packets.ts';
import type { ToolCall } from '#src/chat/tool-call.ts';
import { createInternalSearch } from '#src/chat/tools/internal-search.ts';
import { defineTool, type Tool, ToolFailed } from '#src/chat/tools/tool.ts';
import type { SearchHit } from '#src/documents/search-hit.ts';
import { callTool, fakeChatModel, finish, say, think } from '#test/support/fake-chat-model.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

const searchFor = (...hits: SearchHit[]): Tool => createInternalSearch(async () => hits);
const VPN = fakeHit('vpn', 'Reset the VPN in the portal.');

/** Answers what it is told, after a pause in which others go on. */
const echo = defineTool({
  id: 1000,
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  async *run({ text }) {
    yield { type: 'custom_tool_start', tool_name: 'echo', tool_id: 1000 };
    await Promise.resolve();
    if (text === 'fail') throw new ToolFailed('The echo is gone.');
    if (text === 'crash') throw new TypeError('a bug');
    yield {
      type: 'custom_tool_delta',
      tool_name: 'echo',
      tool_id: 1000,
      response_type: 'text',
      data: text,
      file_ids: null,
      error: null,
    };
    return { text, documents: [] };
  },
});

function input(changes: Partial<GenerateInput>): GenerateInput {
  return {
    question: 'How do I reset the VPN?',
    questionBefore: null,
    tools: [searchFor(VPN)],
    forcedToolId: null,
    model: null,
    temperature: null,
    prompt: (documents): ChatModelMessage[] => [
      { role: 'system', content: 'rules' },
      { role: 'user', content: `${documents ?? 'no documents'} question` },
    ],
    includeCitations: true,
    signal: new AbortController().signal,
    ...changes,
  };
}

interface Answer {
  packets: Packet[];
  calls: ToolCall[];
  order: string[];
}

async function answer(changes: Partial<GenerateInput>): Promise<Answer> {
  const packets: Packet[] = [];
  const run = generateAnswer(input(changes));
  let step = await run.next();
  while (step.done !== true) {
    expect(packetSchema.parse(step.value)).toEqual(step.value);
    packets.push(step.value);
    step = await run.next();
  }
  const order = packets.map(
    ({ placement, obj }) => `T${placement.turn_index}.${placement.tab_index} ${obj.type}`,
  );
  return { packets, calls: step.value, order };
}

const SEARCH = (turn: number, tab = 0): string[] =>
  ['start', 'queries_delta', 'documents_delta'].map(
    (part) => `T${turn}.${tab} search_tool_${part}`,
  );
const MESSAGE = (turn: number): string[] => [
  `T${turn}.0 message_start`,
  `T${turn}.0 message_delta`,
];
const text = ({ packets }: Answer): string =>
  packets.map(({ obj }) => (obj.type === 'message_delta' ? obj.content : '')).join('');

describe('an answer', () => {
  it('of a model without tools is one message', async () => {
    const { order, calls, packets } = await answer({
      model: fakeChatModel([say('Hi.')]),
      tools: [],
    });
    expect(order).toEqual(MESSAGE(0));
    expect(packets[0]?.obj).toEqual({ type: 'message_start', final_documents: null });
    expect(calls).toEqual([]);
  });

  it('from the first search alone shows it as the search that it was', async () => {
    const model = fakeChatModel([say('Use the portal '), say('[1'), say('].'), finish()]);
    const { order, calls, packets } = await answer({ model });
    expect(order).toEqual([
      ...SEARCH(0),
      'T0.0 section_end',
      ...MESSAGE(1),
      'T1.0 citation_info',
      'T1.0 message_delta',
    ]);
    expect(packets[4]?.obj).toHaveProperty('final_documents.0.document_id', 'vpn');
    expect(calls).toMatchObject([{ tool_name: 'internal_search' }]);
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.messages[1]?.content).toContain('Reset the VPN');
  });

  it('where the first search finds nothing begins with the message', async () => {
    const { order, calls } = await answer({
      model: fakeChatModel([say('Hi.')]),
      tools: [searchFor()],
    });
    expect(order).toEqual(MESSAGE(0));
    expect(calls).toEqual([]);
  });

  it('forgets the first search once the model searches, and counts from 1', async () => {
    const model = fakeChatModel((request, call) =>
      call === 0
        ? [callTool('internal_search', { queries: ['vpn reset'] }), finish('tool-calls')]
        : [say('Portal [1].')],
    );
    const { order, calls, ...rest } = await answer({ model });
    expect(order).toEqual([
      ...SEARCH(0),
      'T0.0 section_end',
      ...MESSAGE(1),
      'T1.0 citation_info',
      'T1.0 message_delta',
    ]);
    expect(calls).toMatchObject([{ tool_arguments: { queries: ['vpn reset'] } }]);
    expect(text({ order, calls, ...rest })).toBe('Portal [[1]](https://kb.example/vpn).');
    const second = model.requests[1]?.messages ?? [];
    expect(second[1]?.content).toContain('no documents');
    expect(second.slice(2).map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('gives reasoning a turn of its own, before tools and before words', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0
        ? [think('Look '), think('it up.'), callTool('internal_search', { queries: ['vpn'] })]
        : [think('Now I know.'), say('\n'), say('Portal.'), think('late')],
    );
    const { order, calls } = await answer({ model });
    expect(order).toEqual([
      'T0.0 reasoning_start',
      'T0.0 reasoning_delta',
      'T0.0 reasoning_delta',
      'T0.0 reasoning_done',
      ...SEARCH(1),
      'T1.0 section_end',
      'T2.0 reasoning_start',
      'T2.0 reasoning_delta',
      'T2.0 reasoning_done',
      ...MESSAGE(3),
    ]);
    expect(calls[0]?.pre_reasoning).toBe('Look it up.');
  });

  it('keeps what is said before a tool on the same turn, the tools in the tabs beside it', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0 ? [say('Let me see.'), callTool('echo', { text: 'x' })] : [say('Done.')],
    );
    const { order } = await answer({ model, tools: [echo] });
    expect(order).toEqual([
      ...MESSAGE(0),
      'T0.1 custom_tool_start',
      'T0.1 custom_tool_delta',
      'T0.1 section_end',
      ...MESSAGE(1),
    ]);
  });

  it('runs parallel tools in tabs, their starts first, and merges searches', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0
        ? [
            callTool('internal_search', { queries: ['a'] }, '1'),
            callTool('echo', { text: 'x' }, '2'),
            callTool('internal_search', { queries: ['b', 'a'] }, '3'),
          ]
        : [say('Done.')],
    );
    const { order, calls } = await answer({ model, tools: [searchFor(VPN), echo] });
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
    ['arguments that are no JSON', callTool('echo', '{"text": '), /not a JSON object/],
    ['arguments that are no object', callTool('echo', '[1]'), /not a JSON object/],
    ['arguments of another shape', callTool('echo', { txt: 1 }), /arguments are wrong/],
  ])('tells the model of %s, and shows nothing', async (_what, call, sentence) => {
    const model = fakeChatModel((_request, at) => (at === 0 ? [call] : [say('Sorry.')]));
    const { order } = await answer({ model, tools: [echo] });
    expect(order).toEqual(MESSAGE(1));
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(sentence);
  });

  it('goes on when a tool fails, closing its block, and not when it has a bug', async () => {
    const failing = fakeChatModel((_request, at) =>
      at === 0 ? [callTool('echo', { text: 'fail' })] : [say('Sorry.')],
    );
    const { order } = await answer({ model: failing, tools: [echo] });
    expect(order).toEqual(['T0.0 custom_tool_start', 'T0.0 section_end', ...MESSAGE(1)]);
    expect(failing.requests[1]?.messages.at(-1)?.content).toContain('The echo is gone.');
    const crashing = fakeChatModel([callTool('echo', { text: 'crash' })]);
    await expect(answer({ model: crashing, tools: [echo] })).rejects.toThrow('a bug');
  });

  it('ends after six calls of the model, the last of them without tools', async () => {
    const model = fakeChatModel((request) =>
      request.tools?.length ? [callTool('echo', { text: 'again' })] : [say('Enough.')],
    );
    const { order } = await answer({ model, tools: [echo] });
    expect(model.requests).toHaveLength(6);
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, 1, 1, 1, 0]);
    expect(order.slice(-2)).toEqual(MESSAGE(5));
  });

  it('has no tools after one that is the last', async () => {
    const painter: Tool = { ...echo, name: 'paint', isLast: true };
    const model = fakeChatModel((_request, at) =>
      at === 0 ? [callTool('paint', { text: 'a cat' })] : [say('A cat.')],
    );
    await answer({ model, tools: [painter, echo] });
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([2, 0]);
  });

  it('offers a forced tool alone at first, and requires it', async () => {
    const model = fakeChatModel((_request, at) =>
      at === 0 ? [callTool('echo', { text: 'x' })] : [say('Done.')],
    );
    const { order } = await answer({ model, tools: [searchFor(VPN), echo], forcedToolId: 1000 });
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

  it('makes a forced search with the user’s words when the model does not', async () => {
    const model = fakeChatModel((_request, at) => [say(at === 0 ? 'From memory.' : 'Portal [1].')]);
    const { order, calls } = await answer({ model, forcedToolId: 1 });
    expect(order.slice(0, 5)).toEqual([...SEARCH(0), 'T0.0 section_end', 'T1.0 message_start']);
    expect(calls[0]?.tool_arguments).toEqual({ queries: ['How do I reset the VPN?'] });
  });

  it('of a model that calls no tools has the first search, and is shown no tools', async () => {
    const model = fakeChatModel([say('Portal [1].')], { callsTools: false });
    const { order } = await answer({ model });
    expect(order.slice(0, 5)).toEqual([...SEARCH(0), 'T0.0 section_end', 'T1.0 message_start']);
    expect(model.requests[0]?.tools).toEqual([]);
  });

  it('without a model is quoted from what is found', async () => {
    const found = await answer({});
    expect(found.order.slice(0, 5)).toEqual([
      ...SEARCH(0),
      'T0.0 section_end',
      'T1.0 message_start',
    ]);
    expect(text(found)).toContain('Reset the VPN in the portal. [[1]](https://kb.example/vpn)');
    const nothing = await answer({ tools: [searchFor()] });
    expect(nothing.order).toEqual([
      'T0.0 search_tool_start',
      'T0.0 search_tool_queries_delta',
      'T0.0 section_end',
      ...MESSAGE(1),
    ]);
    const refused = await answer({ tools: [] });
    expect(text(refused)).toMatch(/allows no search/);
  });

  it('holds no citation when citations are not wanted, but all documents', async () => {
    for (const model of [null, fakeChatModel([say('Portal [1].')])]) {
      const { order, packets } = await answer({ model, includeCitations: false });
      expect(order).not.toContain('T1.0 citation_info');
      expect(JSON.stringify(packets)).not.toContain('[[1]]');
      expect(packets[4]?.obj).toHaveProperty('final_documents.0.document_id', 'vpn');
    }
  });

  it.each([
    [[think('Hm'), say('  \n')], 'EMPTY_LLM_RESPONSE'],
    [[finish('content-filter')], 'CONTENT_POLICY'],
  ])('that says nothing at all is a failure', async (parts, errorCode) => {
    const model = fakeChatModel(parts);
    await expect(answer({ model })).rejects.toMatchObject({ code: 'BAD_GATEWAY', errorCode });
  });

  it('searches for a short question together with the one before it', async () => {
    const queries: string[] = [];
    const search = createInternalSearch(async (query) => {
      queries.push(query);
      return [];
    });
    await answer({
      tools: [search],
      question: 'And on a Mac?',
      questionBefore: 'How do I reset the VPN?',
    });
    expect(queries).toEqual(
      expect.arrayContaining(['And on a Mac?', 'How do I reset the VPN? And on a Mac?']),
    );
  });
});
