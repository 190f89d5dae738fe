import type { ChatModel } from '#src/chat/model/chat-model.ts';
import type { Packet } from '#src/chat/wire/packets.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ResearchRun } from './ask-within-budget.ts';
import { directAgents } from './direct-agents.ts';
import { Place } from './place.ts';
import { clarify, writePlan } from './plan-research.ts';
import type { ResearchInput, ResearchOutcome } from './research-input.ts';
import { RESEARCH_LIMITS, ResearchBudget } from './research-limits.ts';
import { writeReport } from './write-report.ts';

/** Minimum context for the plan, reports and sources of a research. */
const MIN_CONTEXT_TOKENS = 50_000;

/**
 * Checks that this model and these tools can do a research.
 * @throws Problem BAD_REQUEST that says what is missing
 */
export function checkResearch(
  model: ChatModel | null,
  tools: readonly Tool[],
): asserts model is ChatModel {
  const lack = lackOf(model, tools);
  if (lack !== null)
    throw new Problem(
      'BAD_REQUEST',
      `deep_research is not possible here: ${lack} Leave deep_research out.`,
    );
}

/**
 * A research in stages: a clarifying question if the model cannot begin; otherwise the plan, parallel agents that
 * search and report, and the final report. Yields all its packets except the last `stop`.
 * @throws Problem BAD_REQUEST as `checkResearch`, ModelFailed when the plan, a step of the orchestrator or the final
 * report fails, the agents' error when none of them reported, the signal's reason when it aborts
 */
export async function* deepResearch(input: ResearchInput): AsyncGenerator<Packet, ResearchOutcome> {
  checkResearch(input.model, input.tools);
  const { messages, question } = input;
  // Aborted when the consumer stops early; otherwise agents that wait for a model or a tool would continue.
  const end = new AbortController();
  const run = openRun(input, AbortSignal.any([input.signal, end.signal]));
  const place = new Place();
  try {
    if (!input.isClarified && (yield* clarify(run, place, messages)))
      return { toolCalls: [], isClarification: true, documents: new Map() };
    const plan = yield* writePlan(run, place, messages, question);
    const findings = yield* directAgents(run, place, { ...input, plan });
    if (findings.reports.length === 0 && findings.error !== null) throw findings.error;
    yield* writeReport(run, place, { ...input, findings });
    const { toolCalls, documents } = findings;
    return { toolCalls, isClarification: false, documents };
  } finally {
    end.abort();
  }
}

function lackOf(model: ChatModel | null, tools: readonly Tool[]): string | null {
  if (model === null) return 'it needs a language model, and none is configured.';
  if (!model.callsTools) return `the model ${model.name} calls no tools.`;
  if (model.contextTokens < MIN_CONTEXT_TOKENS)
    return `the model ${model.name} has ${model.contextTokens} tokens of context, and it needs ${MIN_CONTEXT_TOKENS}.`;
  if (tools.length === 0)
    return 'none of the tools internal_search, web_search and open_url is allowed.';
  return null;
}

function openRun(
  { model, temperature, limits, now }: ResearchInput,
  signal: AbortSignal,
): ResearchRun {
  const all = { ...RESEARCH_LIMITS, ...limits };
  return {
    model,
    temperature,
    limits: all,
    budget: new ResearchBudget(all, now),
    now,
    signal,
    modelReasons: false,
  };
}

export type { ResearchInput, ResearchOutcome } from './research-input.ts';
