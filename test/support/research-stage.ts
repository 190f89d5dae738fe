import { z } from 'zod';

import type { ChatModel, ChatModelRequest } from '#src/chat/model/chat-model.ts';
import { packetSchema, type Packet } from '#src/chat/wire/packets.ts';
import {
  deepResearch,
  type ResearchInput,
  type ResearchOutcome,
} from '#src/chat/research/deep-research.ts';
import { INTERMEDIATE_RULES, PLAN_RULES, REPORT_RULES } from '#src/chat/research/prompts.ts';
import { toSearchDoc } from '#src/chat/citations/to-search-doc.ts';
import { defineTool, type Tool, ToolFailed } from '#src/chat/tools/tool.ts';
import { fakeHit } from './fake-hit.ts';
import { callTool, scriptedChatModel, type ScriptedParts } from './scripted-chat-model.ts';

export type Stage = 'clarify' | 'plan' | 'direct' | 'agent' | 'intermediate' | 'report';
/** The model's behaviour in a stage; `nth` counts the calls of that stage from 0. */
export type Act = (request: ChatModelRequest, nth: number) => ScriptedParts;

export const says = (text: string) => ({ type: 'text', text }) as const;
export const thinks = (text: string) => ({ type: 'reasoning', text }) as const;

/** The research stage of a call, recognized by its tools and rules. */
export function stageOf({ tools = [], messages }: ChatModelRequest): Stage {
  const names = tools.map(({ name }) => name);
  if (names.includes('generate_plan')) return 'clarify';
  if (names.includes('research_agent')) return 'direct';
  if (names.length > 0) return 'agent';
  const has = (rules: string): boolean => messages.some(({ content }) => content.endsWith(rules));
  if (has(PLAN_RULES)) return 'plan';
  if (has(INTERMEDIATE_RULES)) return 'intermediate';
  if (has(REPORT_RULES)) return 'report';
  throw new Error('No research stage has these rules.');
}

/** The task in an agent's call. */
export function taskOf({ messages }: ChatModelRequest): string {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  return /<task>\n(.*)\n<\/task>/s.exec(first)?.[1] ?? '';
}

/** All tool results that the model has received so far. */
export function toolAnswers({ messages }: ChatModelRequest): string[] {
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

export const sendsAgents = (...tasks: string[]) =>
  tasks.map((task, index) => callTool('research_agent', { task }, `agent-${index}`));

const DEFAULT_ACTS: Record<Stage, Act> = {
  clarify: () => [callTool('generate_plan', {})],
  plan: () => [says('1. Look '), says('it up.')],
  direct: (_, nth) =>
    nth === 0 ? sendsAgents('Find the price') : [callTool('generate_report', {})],
  agent: (request) =>
    toolAnswers(request).length === 0
      ? [callTool('internal_search', { queries: [taskOf(request)] })]
      : [says('Enough.')],
  intermediate: () => [says('It costs '), says('5 [1].')],
  report: () => [says('Five '), says('[1].')],
};

/** A model that does a small research with one agent; `acts` replaces stages. */
export function researchModel(
  acts: Partial<Record<Stage, Act>> = {},
  facts: Partial<Omit<ChatModel, 'stream'>> = {},
): ReturnType<typeof scriptedChatModel> {
  const counts = new Map<Stage, number>();
  return scriptedChatModel((request) => {
    const stage = stageOf(request);
    const nth = counts.get(stage) ?? 0;
    counts.set(stage, nth + 1);
    return (acts[stage] ?? DEFAULT_ACTS[stage])(request, nth);
  }, facts);
}

/** A search that finds one document per query, named after it; the query `nothing` finds none. */
export function fakeSearch(
  find: (query: string, signal: AbortSignal) => Promise<void> = async () => undefined,
): Tool {
  return defineTool({
    id: 1,
    name: 'internal_search',
    description: 'Searches.',
    mergedBy: 'queries',
    input: z.object({ queries: z.array(z.string()) }),
    async *run({ queries }, { numbers, signal }) {
      yield { type: 'search_tool_start', is_internet_search: false };
      yield { type: 'search_tool_queries_delta', queries };
      for (const query of queries) await find(query, signal);
      if (queries.includes('nothing')) throw new ToolFailed('The index is away.');
      const documents = queries.map((query) => toSearchDoc(fakeHit(query, `About ${query}`)));
      yield { type: 'search_tool_documents_delta', documents };
      const results = documents.map((document) => ({
        citation: numbers.numberOf(document),
        content: document.blurb,
      }));
      return { text: JSON.stringify({ results }), documents };
    },
  });
}

export function researchInput(
  model: ChatModel,
  changes: Partial<ResearchInput> = {},
): ResearchInput {
  return {
    model,
    tools: [fakeSearch()],
    messages: [
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: 'What does it cost?' },
    ],
    question: 'What does it cost?',
    isClarified: false,
    citations: { isShown: true },
    temperature: null,
    now: () => new Date('2026-07-01T12:00:00Z'),
    signal: new AbortController().signal,
    ...changes,
  };
}

export interface Researched {
  packets: Packet[];
  outcome: ResearchOutcome;
}

/** Runs a research to its end and validates each packet against its schema. */
export async function research(
  model: ChatModel,
  changes: Partial<ResearchInput> = {},
): Promise<Researched> {
  const packets: Packet[] = [];
  const run = deepResearch(researchInput(model, changes));
  let step = await run.next();
  while (step.done !== true) {
    packets.push(packetSchema.parse(step.value));
    step = await run.next();
  }
  return { packets, outcome: step.value };
}

/** `T2/1.0 search_tool_start`: turn, tab, and step when there is one. */
export function inOrder(packets: readonly Packet[]): string[] {
  return packets.map(({ placement, obj }) => {
    const { turn_index: turn, tab_index: tab, sub_turn_index: step } = placement;
    return `T${turn}/${tab}${step === null ? '' : `.${step}`} ${obj.type}`;
  });
}

/** The final answer as the user sees it. */
export function answerOf(packets: readonly Packet[]): string {
  return packets.map(({ obj }) => (obj.type === 'message_delta' ? obj.content : '')).join('');
}
