import { describe, expect, it } from 'vitest';
import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { ModelFailed } from '#src/chat/model/model-failed.ts';
import { createInternalSearch } from '#src/chat/built-in-tools/internal-search.ts';
import { callTool, fakeChatModel, finish, say, think } from '#test/support/fake-chat-model.ts';
import {
  generated,
  MESSAGE,
  SEARCH,
  searchFor,
  textOf,
  VPN,
} from '#test/support/generated-answer.ts';

describe('an answer', () => {
  it('of a model without tools is a single message', async () => {
    const { order, calls, packets } = await generated({
      model: fakeChatModel([say('Hi.')]),
      tools: [],
    });
    expect(order).toEqual(MESSAGE(0));
    expect(packets[0]?.obj).toEqual({ type: 'message_start', final_documents: null });
    expect(calls).toEqual([]);
  });

  it('that uses only the first search shows that search as a tool call', async () => {
    const model = fakeChatModel([say('Use the portal '), say('[1'), say('].'), finish()]);
    const { order, calls, packets } = await generated({ model });
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

  it('starts with the message when the first search finds nothing', async () => {
    const { order, calls } = await generated({
      model: fakeChatModel([say('Hi.')]),
      tools: [searchFor()],
    });
    expect(order).toEqual(MESSAGE(0));
    expect(calls).toEqual([]);
  });

  it.each([
    ['no search', [], /allows no search/],
    ['nothing found', [searchFor(VPN)], /found nothing/],
  ])(
    'without a model says why when the question has no words to search for: %s',
    async (_why, tools, says) => {
      const answer = await generated({ question: '\u0000', tools });
      expect(answer.order).toEqual(MESSAGE(0));
      expect(textOf(answer)).toMatch(says);
    },
  );

  it('discards the first search once the model searches, and numbers from 1', async () => {
    const model = fakeChatModel((request, call) =>
      call === 0
        ? [callTool('internal_search', { queries: ['vpn reset'] }), finish('tool-calls')]
        : [say('Portal [1].')],
    );
    const { order, calls, ...rest } = await generated({ model });
    expect(order).toEqual([
      ...SEARCH(0),
      'T0.0 section_end',
      ...MESSAGE(1),
      'T1.0 citation_info',
      'T1.0 message_delta',
    ]);
    expect(calls).toMatchObject([{ tool_arguments: { queries: ['vpn reset'] } }]);
    expect(textOf({ order, calls, ...rest })).toBe('Portal [[1]](https://kb.example/vpn).');
    const second = model.requests[1]?.messages ?? [];
    expect(second[1]?.content).toContain('no documents');
    expect(second.slice(2).map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('gives reasoning its own turn before tools and before text', async () => {
    const model = fakeChatModel((_request, call) =>
      call === 0
        ? [think('Look '), think('it up.'), callTool('internal_search', { queries: ['vpn'] })]
        : [think('Now I know.'), say('\n'), say('Portal.'), think('late')],
    );
    const { order, calls } = await generated({ model });
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

  it('of a model without tool calling uses the first search and offers no tools', async () => {
    const model = fakeChatModel([say('Portal [1].')], { callsTools: false });
    const { order } = await generated({ model });
    expect(order.slice(0, 5)).toEqual([...SEARCH(0), 'T0.0 section_end', 'T1.0 message_start']);
    expect(model.requests[0]?.tools).toEqual([]);
  });

  it('without a model quotes what was found', async () => {
    const found = await generated({});
    expect(found.order.slice(0, 5)).toEqual([
      ...SEARCH(0),
      'T0.0 section_end',
      'T1.0 message_start',
    ]);
    expect(textOf(found)).toContain('Reset the VPN in the portal. [[1]](https://kb.example/vpn)');
    const nothing = await generated({ tools: [searchFor()] });
    expect(nothing.order).toEqual([
      'T0.0 search_tool_start',
      'T0.0 search_tool_queries_delta',
      'T0.0 section_end',
      ...MESSAGE(1),
    ]);
    const refused = await generated({ tools: [] });
    expect(textOf(refused)).toMatch(/allows no search/);
  });

  it('contains no citations when they are disabled, but still lists all documents', async () => {
    for (const model of [null, fakeChatModel([say('Portal [1].')])]) {
      const { order, packets } = await generated({ model, citations: { isShown: false } });
      expect(order).not.toContain('T1.0 citation_info');
      expect(JSON.stringify(packets)).not.toContain('[[1]]');
      expect(packets[4]?.obj).toHaveProperty('final_documents.0.document_id', 'vpn');
    }
  });

  it.each([
    [[think('Hm'), say('  \n')], 'EMPTY_LLM_RESPONSE'],
    [[finish('content-filter')], 'CONTENT_POLICY'],
  ])('without any text is a failure', async (parts, errorCode) => {
    const model = fakeChatModel(parts);
    await expect(generated({ model })).rejects.toMatchObject({ code: 'BAD_GATEWAY', errorCode });
  });

  it('searches for a short question together with the previous one', async () => {
    const queries: string[] = [];
    const search = createInternalSearch(async (query) => {
      queries.push(query);
      return [];
    });
    await generated({
      tools: [search],
      question: 'And on a Mac?',
      questionsBefore: ['How do I reset the VPN?'],
    });
    expect(queries).toEqual(
      expect.arrayContaining(['And on a Mac?', 'How do I reset the VPN? And on a Mac?']),
    );
  });

  it('is requested once more with half the prompt when the provider counts too many tokens', async () => {
    const tooLong = new ModelFailed('too long', {
      errorCode: 'CONTEXT_TOO_LONG',
      details: { model: 'test-model', provider: 'openai-compatible' },
    });
    const prompt = (): ChatModelMessage[] => [
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'word '.repeat(2_000) },
      { role: 'assistant', content: 'word '.repeat(2_000) },
      { role: 'user', content: 'question' },
    ];
    const model = fakeChatModel((_request, at) => (at === 0 ? [tooLong] : [say('Yes.')]), {
      contextTokens: 6_000,
    });
    const { order } = await generated({ model, tools: [], prompt });
    expect(order).toEqual(MESSAGE(0));
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([4, 2]);
    const always = fakeChatModel([tooLong]);
    await expect(generated({ model: always, tools: [] })).rejects.toBe(tooLong);
    expect(always.requests).toHaveLength(2);
    const late = fakeChatModel([say('Half'), tooLong]);
    await expect(generated({ model: late, tools: [] })).rejects.toBe(tooLong);
    expect(late.requests).toHaveLength(1);
  });
});
