import { describe, expect, it } from 'vitest';

import type { ChatModelRequest } from '#src/chat/model/chat-model.ts';
import { TokenMeter } from '#src/chat/research/token-meter.ts';
import { countTokens } from '#src/documents/count-tokens.ts';
import {
  answerOf,
  fakeSearch,
  inOrder,
  research,
  researchModel,
  says,
  sendsAgents,
  type Stage,
  stageOf,
  thinks,
  toolAnswers,
} from '#test/support/research-stage.ts';
import { callTool, untilEnded } from '#test/support/scripted-chat-model.ts';

const count = (model: { requests: ChatModelRequest[] }, stage: Stage): number =>
  model.requests.filter((request) => stageOf(request) === stage).length;

const searchesOn = () => [callTool('internal_search', { queries: ['more'] })];

/** A clock advanced by the test. */
function clock(): { now: () => Date; pass(minutes: number): void } {
  let ms = Date.parse('2026-07-01T12:00:00Z');
  return { now: () => new Date(ms), pass: (minutes) => (ms += minutes * 60_000) };
}

describe('research limits', () => {
  it('end a model that never asks for the report after 8 cycles', async () => {
    const model = researchModel({ direct: () => sendsAgents('again') });
    const { packets } = await research(model);
    expect(count(model, 'direct')).toBe(8);
    expect(answerOf(packets)).toContain('Five');
  });

  it('end a reasoning model after 4 cycles', async () => {
    const model = researchModel({ direct: () => [thinks('Hm.'), ...sendsAgents('again')] });
    await research(model);
    expect(count(model, 'direct')).toBe(4);
  });

  it('start three of fifty agents and tell the model about the others', async () => {
    const tasks = Array.from({ length: 50 }, (_, index) => `task ${index}`);
    const model = researchModel({
      direct: (_, nth) => (nth === 0 ? sendsAgents(...tasks) : [callTool('generate_report', {})]),
    });
    const { packets } = await research(model);
    expect(packets.filter(({ obj }) => obj.type === 'research_agent_start')).toHaveLength(3);
    const second = model.requests.filter((request) => stageOf(request) === 'direct')[1];
    const told = second ? toolAnswers(second) : [];
    expect(told.length).toBeGreaterThan(3);
    expect(told.slice(3).every((answer) => answer.startsWith('Not started'))).toBe(true);
  });

  it('end an endlessly searching agent after 8 steps, and it writes its report', async () => {
    const model = researchModel({ agent: searchesOn });
    const { packets } = await research(model);
    expect(count(model, 'agent')).toBe(8);
    expect(inOrder(packets)).toContain('T1/0 intermediate_report_start');
  });

  it('start no agent step after 12 minutes, and the agent writes its report', async () => {
    const time = clock();
    const tools = [fakeSearch(async () => time.pass(5))];
    const model = researchModel({ agent: searchesOn });
    const { packets } = await research(model, { now: time.now, tools });
    expect(count(model, 'agent')).toBe(3);
    expect(inOrder(packets)).toContain('T1/0 intermediate_report_start');
  });

  it('end an agent whose tool hangs, and tell the orchestrator', async () => {
    const tools = [
      fakeSearch(async (query, signal) => (query === 'hang' ? untilEnded(signal) : undefined)),
    ];
    const model = researchModel({
      direct: (_, nth) =>
        nth === 0 ? sendsAgents('hang', 'go') : [callTool('generate_report', {})],
    });
    const { packets, outcome } = await research(model, { tools, limits: { agentHardMs: 30 } });
    expect(outcome.toolCalls[0]?.tool_result).toBe('The agent failed. It did not end in time.');
    expect(inOrder(packets)).toContain('T1/0 section_end');
    expect(answerOf(packets)).toContain('Five');
  });

  it('force the report after 30 minutes with what has been found', async () => {
    const time = clock();
    const model = researchModel({
      direct: () => {
        time.pass(11);
        return sendsAgents('again');
      },
    });
    const { packets } = await research(model, { now: time.now });
    expect(count(model, 'direct')).toBe(3);
    expect(answerOf(packets)).toContain('Five');
  });

  it('force the report when the tokens are spent, as counted by the provider', async () => {
    const usage = { inputTokens: 900, outputTokens: 100, reasoningTokens: 0 };
    const model = researchModel({
      direct: () => [...sendsAgents('again'), { type: 'finish', reason: 'tool-calls', usage }],
    });
    await research(model, { limits: { totalTokens: 2_500 } });
    expect(count(model, 'direct')).toBeLessThanOrEqual(3);
    expect(count(model, 'report')).toBe(1);
  });

  it('count tokens themselves when the provider does not', async () => {
    const model = researchModel({ direct: () => sendsAgents('again') });
    await research(model, { limits: { totalTokens: 1_000 } });
    expect(count(model, 'direct')).toBeLessThan(4);
  });

  it('start no agent when the plan spent everything, and the report says that nothing was found', async () => {
    const model = researchModel({ report: () => [says('Nothing was found.')] });
    const { packets, outcome } = await research(model, { limits: { totalTokens: 1 } });
    expect(outcome.toolCalls).toEqual([]);
    expect(count(model, 'direct')).toBe(0);
    expect(packets.map(({ obj }) => obj)).toContainEqual({
      type: 'message_start',
      final_documents: [],
    });
  });

  it.each(['plan', 'intermediate', 'report'] as const)('truncate an endless %s', async (stage) => {
    const endless = function* () {
      for (;;) yield says('word and another word [1]. ');
    };
    const model = researchModel({ [stage]: endless });
    const limits = { reportTokens: 300, intermediateTokens: 200 };
    const { packets } = await research(model, { limits });
    const said = packets.flatMap(({ obj }) =>
      (obj.type === 'deep_research_plan_delta' && stage === 'plan') ||
      (obj.type === 'intermediate_report_delta' && stage === 'intermediate') ||
      (obj.type === 'message_delta' && stage === 'report')
        ? [obj.content]
        : [],
    );
    const raw = said.join('').replaceAll(/\[\[1\]\]\([^)]*\)/g, '[1]');
    const most = { plan: 2_000, intermediate: 200, report: 300 }[stage];
    expect(countTokens(raw)).toBeLessThanOrEqual(most);
    expect(countTokens(raw)).toBeGreaterThan(most - 20);
    expect(model.running()).toBe(0);
  });

  it('truncate endless reasoning and endless calls', async () => {
    const endlessThoughts = function* () {
      for (;;) yield thinks('and then again '.repeat(100));
    };
    const first = await research(researchModel({ plan: endlessThoughts }));
    expect(answerOf(first.packets)).toContain('Five');
    const endlessCalls = function* () {
      for (;;) yield callTool('nonsense', {});
    };
    const second = await research(researchModel({ direct: endlessCalls }), {
      limits: { cycles: 2 },
    });
    expect(answerOf(second.packets)).toContain('Five');
  });

  it('end a request that streams text forever', async () => {
    const time = clock();
    const drips = function* () {
      for (;;) {
        time.pass(1);
        yield says('a ');
      }
    };
    const { packets } = await research(researchModel({ plan: drips }), { now: time.now });
    expect(packets.filter(({ obj }) => obj.type === 'deep_research_plan_delta')).toHaveLength(10);
  });

  it('keep every request within the context of the model', async () => {
    const long = 'These are many words about one thing [1]. '.repeat(1_500);
    const model = researchModel(
      {
        direct: () => sendsAgents('a', 'b', 'c'),
        intermediate: () => [says(long)],
        agent: searchesOn,
      },
      { contextTokens: 50_000 },
    );
    const { packets } = await research(model);
    expect(answerOf(packets)).toContain('Five');
    for (const request of model.requests) {
      const tokens = request.messages.reduce((sum, { content }) => sum + countTokens(content), 0);
      expect(tokens).toBeLessThanOrEqual(50_000);
    }
    const last = model.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(last).toContain('What does it cost?');
    expect(last.split('<report>')).toHaveLength(1 + 24);
  });
});

describe('a token meter', () => {
  it('accepts the same text however it is split', () => {
    const text = 'The quick brown fox, 12345 jumps; über 東京の犬 and so on. '.repeat(5);
    const whole = new TokenMeter(60);
    whole.take(text);
    const pieces = new TokenMeter(60);
    const taken = Array.from(text, (piece) => pieces.take(piece)).join('');
    expect(taken).toBe(whole.text);
    expect(pieces.text).toBe(taken);
    expect(pieces.isFull).toBe(true);
    expect(countTokens(taken)).toBe(60);
  });

  it('is not full at exactly its limit', () => {
    const meter = new TokenMeter(2);
    expect(meter.take('two words')).toBe('two words');
    expect(meter.isFull).toBe(false);
    expect(meter.take(' more')).not.toContain('more');
    expect(meter.isFull).toBe(true);
  });
});
