import { describe, expect, it } from 'vitest';

import type { ChatModelRequest } from '#src/chat/model/chat-model.ts';
import { ModelFailed } from '#src/chat/model/model-failed.ts';
import { deepResearch } from '#src/chat/research/deep-research.ts';
import { Problem } from '#src/platform/errors.ts';
import {
  answerOf,
  fakeSearch,
  inOrder,
  research,
  researchInput,
  researchModel,
  says,
  sendsAgents,
  stageOf,
  taskOf,
  toolAnswers,
} from '#test/support/research-stage.ts';
import { callTool, untilEnded } from '#test/support/scripted-chat-model.ts';

const failure = new ModelFailed('The model is away.', {
  errorCode: 'SERVICE_UNAVAILABLE',
  details: { model: 'm', provider: 'p' },
});

/** The tool results in the last request to the orchestrator. */
function lastToldOf({ requests }: { requests: ChatModelRequest[] }): string[] {
  const last = requests.findLast((request) => stageOf(request) === 'direct');
  return last ? toolAnswers(last) : [];
}

describe('a failing agent', () => {
  it('closes its section without an error packet, and the orchestrator is told why', async () => {
    const model = researchModel({
      direct: (_, nth) =>
        nth === 0 ? sendsAgents('good', 'bad') : [callTool('generate_report', {})],
      agent: (request) =>
        taskOf(request) === 'bad' ? [failure] : [callTool('internal_search', { queries: ['a'] })],
    });
    const { packets, outcome } = await research(model, { limits: { agentCycles: 1 } });
    expect(inOrder(packets)).toContain('T1/1 section_end');
    expect(inOrder(packets).filter((line) => /error/.test(line))).toEqual([]);
    expect(inOrder(packets).filter((line) => line.startsWith('T1/1 '))).toEqual([
      'T1/1 research_agent_start',
      'T1/1 section_end',
    ]);
    const told = lastToldOf(model);
    expect(told[0]).toContain('It costs 5 [1].');
    expect(told[1]).toContain('The model is away.');
    expect(outcome.toolCalls[0]?.tool_arguments).toEqual({ task: 'good' });
    expect(answerOf(packets)).toContain('[[1]](');
  });

  it('leaves no report when it fails while writing one', async () => {
    const model = researchModel({
      direct: (_, nth) => (nth === 0 ? sendsAgents('x', 'y') : [callTool('generate_report', {})]),
      intermediate: (request) =>
        taskOf(request) === 'x' ? [says('Half a sen'), failure] : [says('Whole [1].')],
    });
    const { packets, outcome } = await research(model);
    const first = inOrder(packets).filter((line) => line.startsWith('T1/0 '));
    expect(first.slice(-3)).toEqual([
      'T1/0 intermediate_report_start',
      'T1/0 intermediate_report_delta',
      'T1/0 section_end',
    ]);
    expect(outcome.toolCalls[0]?.tool_result).toBe('The agent failed. The model is away.');
    expect(model.requests.at(-1)?.messages.at(-1)?.content).not.toContain('Half a sen');
  });

  it('does not reveal an unexpected error to the model', async () => {
    const search = fakeSearch(async () => {
      throw new TypeError('secret of the house');
    });
    const model = researchModel({
      agent: (request) =>
        taskOf(request) === 'b' ? [] : [callTool('internal_search', { queries: ['a'] })],
      direct: (_, nth) => (nth === 0 ? sendsAgents('a', 'b') : [callTool('generate_report', {})]),
    });
    await research(model, { tools: [search] });
    expect(JSON.stringify(model.requests)).not.toContain('secret of the house');
  });

  it('fails the research when no other agent delivers a report', async () => {
    const model = researchModel({ agent: () => [failure] });
    await expect(research(model)).rejects.toBe(failure);
  });

  it('continues after a tool failure and tells the model', async () => {
    const model = researchModel({
      agent: (request) =>
        toolAnswers(request).length === 0
          ? [callTool('internal_search', { queries: ['nothing'] })]
          : [],
      intermediate: (request) => [says(toolAnswers(request)[0] ?? '')],
    });
    const { packets, outcome } = await research(model);
    expect(outcome.toolCalls[0]?.tool_result).toContain('The index is away.');
    expect(inOrder(packets).filter((line) => line === 'T1/0.0 section_end')).toHaveLength(1);
  });
});

describe('a misbehaving model', () => {
  it.each(['clarify', 'plan', 'direct', 'report'] as const)(
    'that fails in the stage %s fails the research',
    async (stage) => {
      await expect(research(researchModel({ [stage]: () => [failure] }))).rejects.toBe(failure);
    },
  );

  it('that returns an empty plan gets the question as its plan', async () => {
    const { packets } = await research(researchModel({ plan: () => [says('\n ')] }));
    expect(packets[1]?.obj).toEqual({
      type: 'deep_research_plan_delta',
      content: '1. What does it cost?',
    });
  });

  it.each([
    ['text', () => [says('I know already.')]],
    ['an early report', () => [callTool('generate_report', {})]],
    ['unknown tools', () => [callTool('search', {})]],
    ['malformed arguments', () => [callTool('research_agent', '{"task": ')]],
    ['empty tasks', () => [callTool('research_agent', { task: ' ' })]],
  ])('that returns %s instead of agents gets one agent with the question', async (_, direct) => {
    const model = researchModel({ direct });
    const { packets, outcome } = await research(model, { limits: { cycles: 3 } });
    expect(outcome.toolCalls[0]?.tool_arguments).toEqual({ task: 'What does it cost?' });
    expect(answerOf(packets)).toContain('Five');
    expect(model.requests.filter((request) => stageOf(request) === 'direct').length).toBeLessThan(
      4,
    );
  });

  it('that makes wrong calls is told what is wrong with each', async () => {
    const model = researchModel({
      direct: (_, nth) =>
        nth === 0
          ? [
              callTool('search', {}, 'a'),
              callTool('research_agent', 'no json', 'b'),
              callTool('think_tool', {}, 'c'),
              callTool('research_agent', { task: 'right' }, 'd'),
            ]
          : [callTool('generate_report', {})],
    });
    await research(model);
    const told = lastToldOf(model);
    expect(told[0]).toContain('There is no tool named search.');
    expect(told[1]).toContain('The arguments are wrong.');
    expect(told[2]).toContain('The arguments are wrong.');
    expect(told[3]).toContain('It costs 5 [1].');
  });

  it('that returns an empty report is replaced by the reports of its agents', async () => {
    const { packets } = await research(researchModel({ report: () => [says(' ')] }));
    expect(answerOf(packets)).toContain('It costs 5 [[1]](https://');
    expect(inOrder(packets).filter((line) => /message_start/.test(line))).toHaveLength(1);
  });

  it('whose report is withheld by its provider fails with that error', async () => {
    const model = researchModel({
      report: () => [{ type: 'finish', reason: 'content-filter', usage: null }],
    });
    await expect(research(model)).rejects.toMatchObject({ errorCode: 'CONTENT_POLICY' });
  });

  it('fails the research when there is no report at all', async () => {
    const model = researchModel({ intermediate: () => [], report: () => [] });
    await expect(research(model)).rejects.toMatchObject({ errorCode: 'EMPTY_LLM_RESPONSE' });
  });
});

describe('an impossible research', () => {
  it.each([
    ['tools', researchModel(), { tools: [] }],
    ['a model that calls tools', researchModel({}, { callsTools: false }), {}],
    ['room', researchModel({}, { contextTokens: 8_000 }), {}],
  ])('without %s is refused before the model is called', async (_, model, changes) => {
    await expect(research(model, changes)).rejects.toBeInstanceOf(Problem);
    expect(model.requests).toEqual([]);
  });
});

describe('a stopped research', () => {
  it.each(['model', 'tool'] as const)(
    'ends at once while its agents wait for a %s',
    async (what) => {
      const stop = new AbortController();
      const waiting = { count: 0 };
      const all = Promise.withResolvers<void>();
      const hang = async (signal: AbortSignal): Promise<never> => {
        waiting.count += 1;
        if (waiting.count === 3) all.resolve();
        try {
          return await untilEnded(signal);
        } finally {
          waiting.count -= 1;
        }
      };
      const model = researchModel({
        direct: () => sendsAgents('a', 'b', 'c'),
        async *agent({ signal }) {
          if (what === 'model') await hang(signal);
          yield callTool('internal_search', { queries: ['a'] });
        },
      });
      const tools = [fakeSearch((_, signal) => hang(signal))];
      const running = research(model, { tools, signal: stop.signal });
      await all.promise;
      const reason = new Error('The client went away.');
      stop.abort(reason);
      await expect(running).rejects.toBe(reason);
      expect(waiting.count).toBe(0);
      expect(model.running()).toBe(0);
    },
  );

  it('ends its agents when its consumer stops reading', async () => {
    const ended = Promise.withResolvers<void>();
    const model = researchModel({
      direct: () => sendsAgents('a', 'b'),
      async *agent(request) {
        if (taskOf(request) === 'b')
          await untilEnded(request.signal).finally(() => ended.resolve());
        yield callTool('internal_search', { queries: ['a'] });
      },
    });
    for await (const { obj } of deepResearch(researchInput(model)))
      if (obj.type === 'search_tool_start') break;
    await ended.promise;
    expect(model.requests.some((request) => stageOf(request) === 'report')).toBe(false);
  });
});
