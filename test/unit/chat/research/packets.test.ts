import { describe, expect, it } from 'vitest';

import { callTool } from '#test/support/scripted-chat-model.ts';
import {
  answerOf,
  fakeSearch,
  inOrder,
  research,
  researchModel,
  says,
  sendsAgents,
  stageOf,
  taskOf,
  thinks,
  toolAnswers,
} from '#test/support/research-stage.ts';

describe('research packets', () => {
  it('come in the order plan, agent with its steps and report, final report', async () => {
    const { packets, outcome } = await research(researchModel());
    expect(inOrder(packets)).toEqual([
      'T0/0 deep_research_plan_start',
      'T0/0 deep_research_plan_delta',
      'T0/0 deep_research_plan_delta',
      'T0/0 section_end',
      'T1/0 research_agent_start',
      'T1/0.0 search_tool_start',
      'T1/0.0 search_tool_queries_delta',
      'T1/0.0 search_tool_documents_delta',
      'T1/0.0 section_end',
      'T1/0 intermediate_report_start',
      'T1/0 intermediate_report_delta',
      'T1/0 intermediate_report_delta',
      'T1/0 intermediate_report_cited_docs',
      'T1/0 section_end',
      'T2/0 message_start',
      'T2/0 message_delta',
      'T2/0 citation_info',
      'T2/0 message_delta',
    ]);
    expect(answerOf(packets)).toBe(
      'Five [[1]](https://kb.example/Find the price).'.replaceAll(
        'Find the price',
        'Find%20the%20price',
      ),
    );
    expect(outcome.isClarification).toBe(false);
    expect([...outcome.documents.keys()]).toEqual([1]);
  });

  it('list the calls of the orchestrator, each before those of its agent', async () => {
    const { outcome } = await research(researchModel());
    expect(
      outcome.toolCalls.map(({ tool_name, tool_arguments }) => [tool_name, tool_arguments]),
    ).toEqual([
      ['research_agent', { task: 'Find the price' }],
      ['internal_search', { queries: ['Find the price'] }],
    ]);
    expect(outcome.toolCalls[0]?.tool_result).toBe('It costs 5 [1].');
    expect(outcome.toolCalls[0]?.search_docs).toHaveLength(1);
  });

  it('give each block of reasoning its own turn, or its own step inside an agent', async () => {
    const model = researchModel({
      clarify: () => [thinks('Clear.'), callTool('generate_plan', {})],
      plan: () => [thinks('Plan…'), says('1. Look.')],
      agent: (request) =>
        toolAnswers(request).length === 0
          ? [thinks('Search.'), callTool('internal_search', { queries: ['a'] })]
          : [thinks('Enough.')],
      intermediate: () => [thinks('Sum up.'), says('A [1].')],
      report: () => [thinks('Well.'), says('B [1].')],
    });
    const { packets } = await research(model);
    const starts = inOrder(packets).filter((line) => line.endsWith('_start'));
    expect(starts).toEqual([
      'T0/0 reasoning_start',
      'T1/0 reasoning_start',
      'T2/0 deep_research_plan_start',
      'T3/0 research_agent_start',
      'T3/0.0 reasoning_start',
      'T3/0.1 search_tool_start',
      'T3/0.2 reasoning_start',
      'T3/0.3 reasoning_start',
      'T3/0 intermediate_report_start',
      'T4/0 reasoning_start',
      'T5/0 message_start',
    ]);
  });

  it('give parallel tools inside an agent one step each, without branching', async () => {
    const openUrl = { ...fakeSearch(), id: 3, name: 'open_url' };
    const model = researchModel({
      agent: (request) =>
        toolAnswers(request).length === 0
          ? [
              callTool('internal_search', { queries: ['a'] }, '1'),
              callTool('open_url', { queries: ['b'] }, '2'),
              callTool('internal_search', { queries: ['c'] }, '3'),
            ]
          : [thinks('Enough.')],
    });
    const { packets } = await research(model, { tools: [fakeSearch(), openUrl] });
    const lines = inOrder(packets);
    expect(lines.filter((line) => /branching/.test(line))).toEqual([]);
    for (const step of [0, 1])
      expect(lines.filter((line) => line.startsWith(`T1/0.${step} `)).toSorted()).toEqual([
        `T1/0.${step} search_tool_documents_delta`,
        `T1/0.${step} search_tool_queries_delta`,
        `T1/0.${step} search_tool_start`,
        `T1/0.${step} section_end`,
      ]);
    expect(lines).toContain('T1/0.2 reasoning_start');
  });

  it('show the thoughts of a model that thinks with a tool, which is withdrawn once it reasons by itself', async () => {
    const thought = 'Two things are missing.';
    const model = researchModel({
      direct: (_, nth) => {
        if (nth === 0) return [callTool('think_tool', { thought })];
        if (nth === 1) return [thinks('Hm.'), ...sendsAgents('a')];
        return [callTool('generate_report', {})];
      },
    });
    const { packets } = await research(model);
    expect(packets.map(({ obj }) => obj)).toContainEqual({
      type: 'reasoning_delta',
      reasoning: thought,
    });
    const offered = model.requests
      .filter((request) => stageOf(request) === 'direct')
      .map(({ tools }) => tools?.some(({ name }) => name === 'think_tool'));
    expect(offered).toEqual([true, true, false]);
  });

  it('of parallel agents start in order, then interleave, and each section closes once', async () => {
    const slow = Promise.withResolvers<void>();
    const search = fakeSearch(async (query) => (query === 'one' ? slow.promise : undefined));
    const model = researchModel({
      direct: (_, nth) =>
        nth === 0 ? sendsAgents('one', 'two', 'three') : [callTool('generate_report', {})],
      intermediate: (request) => {
        if (taskOf(request) === 'two') slow.resolve();
        return [says(`${taskOf(request)} [1].`)];
      },
      report: () => [says('All [1][2][3].')],
    });
    const { packets } = await research(model, { tools: [search] });
    const lines = inOrder(packets).filter((line) => line.startsWith('T1'));
    expect(lines.slice(0, 4)).toEqual([
      'T1/0 top_level_branching',
      'T1/0 research_agent_start',
      'T1/1 research_agent_start',
      'T1/2 research_agent_start',
    ]);
    for (const tab of [0, 1, 2]) {
      expect(lines.filter((line) => line === `T1/${tab} section_end`)).toHaveLength(1);
      const own = lines.filter((line) => line.startsWith(`T1/${tab}`));
      expect(own.at(-1)).toBe(`T1/${tab} section_end`);
    }
    expect(lines.indexOf('T1/0.0 section_end')).toBeGreaterThan(
      lines.indexOf('T1/1 intermediate_report_start'),
    );
  });
});

describe('the input of the model', () => {
  const messages = [
    { role: 'system', content: 'You are kind.' },
    { role: 'user', content: 'Earlier question' },
    { role: 'assistant', content: 'Earlier answer' },
    { role: 'user', content: 'What does it cost?' },
  ] as const;

  it('is the conversation in all stages, except for agents, which see only their task', async () => {
    const model = researchModel();
    await research(model, { messages });
    for (const request of model.requests) {
      const isAgent = ['agent', 'intermediate'].includes(stageOf(request));
      const said = JSON.stringify(request.messages);
      expect(said.includes('Earlier answer')).toBe(!isAgent);
      expect(said.includes('You are kind.')).toBe(!isAgent);
      expect(said.includes('<task>')).toBe(isAgent);
    }
  });

  it('has the plan for the orchestrator and the reports for the writer before the question', async () => {
    const model = researchModel();
    await research(model, { messages });
    const lastUser = (stage: string) =>
      model.requests
        .find((request) => stageOf(request) === stage)
        ?.messages.findLast(({ role }) => role === 'user')?.content;
    expect(lastUser('direct')).toBe('<plan>\n1. Look it up.\n</plan>\n\nWhat does it cost?');
    expect(lastUser('report')).toBe(
      '<report>\nTask: Find the price\n\nIt costs 5 [1].\n</report>\n\nWhat does it cost?',
    );
  });
});

describe('a clarifying question', () => {
  const asksBack = researchModel({ clarify: () => [says(' Which '), says('product?')] });

  it('is the whole answer', async () => {
    const { packets, outcome } = await research(asksBack);
    expect(inOrder(packets)).toEqual([
      'T0/0 message_start',
      'T0/0 message_delta',
      'T0/0 message_delta',
    ]);
    expect(packets[0]?.obj).toEqual({ type: 'message_start', final_documents: null });
    expect(answerOf(packets)).toBe('Which product?');
    expect(outcome).toEqual({ toolCalls: [], isClarification: true, documents: new Map() });
  });

  it('is not asked again when the previous answer was one', async () => {
    const { packets, outcome } = await research(asksBack, { isClarified: true });
    expect(inOrder(packets)[0]).toBe('T0/0 deep_research_plan_start');
    expect(outcome.isClarification).toBe(false);
  });

  it('is neither text before a tool call nor an empty answer', async () => {
    const narrates = researchModel({
      clarify: () => [says('Let me plan.'), callTool('generate_plan', {})],
    });
    expect(inOrder((await research(narrates)).packets)[0]).toBe('T0/0 deep_research_plan_start');
    const silent = researchModel({ clarify: () => [says('  ')] });
    expect((await research(silent)).outcome.isClarification).toBe(false);
  });
});
