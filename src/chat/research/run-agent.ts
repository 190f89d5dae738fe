import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { callingMessage } from '#src/chat/steps/call-messages.ts';
import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { escapeResult } from '#src/chat/prompt/delimit.ts';
import type { Packet } from '#src/chat/wire/packets.ts';
import { runTools } from '#src/chat/steps/run-tools.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { startDeadline } from '#src/platform/deadline.ts';
import { Problem } from '#src/platform/errors.ts';
import { askForWords } from './ask-for-words.ts';
import { askWithinBudget, type ResearchRun } from './ask-within-budget.ts';
import type { Place } from './place.ts';
import { agentRules, enclose, INTERMEDIATE_RULES, withRules } from './prompts.ts';
import { citedNumbers } from './renumber-citations.ts';

/** An agent's text beside its tool calls is short. */
const MAX_SAID_TOKENS = 4_000;

export interface AgentOutcome {
  task: string;
  /** Cites by the agent's own numbers; empty when there is none. */
  report: string;
  /** The documents that the report cites, by the agent's own numbers, in the order of the report. */
  cited: ReadonlyMap<number, SearchDoc>;
  /** Everything that it found, by its own numbers. */
  documents: ReadonlyMap<number, SearchDoc>;
  toolCalls: ToolCall[];
  /** What the orchestrator is told when there is no report; null when there is one. */
  failure: string | null;
  /** The error that ended the agent; null if none. */
  error: Error | null;
}

/**
 * Researches one task with its own conversation and citation numbers: yields the packets of its steps and of its
 * report, but neither its start nor its end. Failures are part of the outcome.
 * @throws the signal's reason when the whole research is aborted
 */
export async function* runAgent(
  run: ResearchRun,
  place: Place,
  tools: readonly Tool[],
  task: string,
): AsyncGenerator<Packet, AgentOutcome> {
  const agent: Agent = {
    task,
    tools,
    messages: [{ role: 'user', content: enclose('task', task) }],
    numbers: new CitationNumbers(),
    toolCalls: [],
  };
  const none = {
    task,
    report: '',
    cited: new Map(),
    documents: agent.numbers.documents,
    toolCalls: agent.toolCalls,
    error: null,
  };
  const { agentHardMs, agentSoftMs } = run.limits;
  // An agent that starts late must not delay the report by much.
  const hardMs = Math.min(agentHardMs, run.budget.msLeft + agentSoftMs);
  using deadline = startDeadline(run.signal, hardMs);
  const own = { ...run, signal: deadline.signal };
  try {
    yield* search(own, place, agent);
    const report = yield* writeDown(own, place, agent);
    if (report === '') return { ...none, failure: 'It wrote no report.' };
    const cited = citedDocuments(report, agent.numbers);
    const documents = [...cited.values()];
    yield place.ofAgent({ type: 'intermediate_report_cited_docs', cited_docs: documents });
    return { ...none, report, cited, failure: null };
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return { ...none, failure: 'It did not end in time.' };
    return { ...none, failure: sentenceOf(error), error: toError(error) };
  } finally {
    run.modelReasons ||= own.modelReasons;
  }
}

/** What the model may be told about a failure; details of unexpected errors are not passed on. */
function sentenceOf(error: unknown): string {
  return error instanceof Problem ? error.message : 'It ended without a report.';
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('An agent failed.', { cause: error });
}

interface Agent {
  task: string;
  tools: readonly Tool[];
  messages: ChatModelMessage[];
  numbers: CitationNumbers;
  toolCalls: ToolCall[];
}

/** Uses tools until the model has enough, or a limit is reached. */
async function* search(run: ResearchRun, place: Place, agent: Agent): AsyncGenerator<Packet, void> {
  const { limits, budget, signal, now } = run;
  const endsAtMs = now().getTime() + limits.agentSoftMs;
  for (let cycle = 0; cycle < limits.agentCycles; cycle += 1) {
    if (budget.isSpent || now().getTime() >= endsAtMs) return;
    const step = yield* askWithinBudget(run, place, {
      messages: withRules(agent.messages, agentRules(now())),
      tools: agent.tools.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
      })),
      maxTextTokens: MAX_SAID_TOKENS,
      signal,
    });
    // Its final text is repeated, with sources, in the report.
    if (step.calls.length === 0) return;
    agent.messages.push(callingMessage(step, step.calls));
    const steps = runTools({
      calls: step.calls,
      tools: agent.tools,
      numbers: agent.numbers,
      question: agent.task,
      turn: place.turn,
      firstTab: 0,
      reasoning: step.reasoning,
      signal,
    });
    const { answers, toolCalls } = yield* asSteps(steps, place);
    agent.toolCalls.push(...toolCalls);
    for (const { call, content } of answers)
      agent.messages.push({
        role: 'tool',
        toolCallId: call.id,
        toolName: call.name,
        content: enclose('sources', escapeResult(content)),
      });
  }
}

/** Parallel tools have a tab each at top level; inside an agent, a step each. */
async function* asSteps<Outcome>(
  packets: AsyncGenerator<Packet, Outcome>,
  place: Place,
): AsyncGenerator<Packet, Outcome> {
  let steps = 0;
  try {
    let next = await packets.next();
    while (next.done !== true) {
      const { placement, obj } = next.value;
      if (obj.type !== 'top_level_branching') {
        steps = Math.max(steps, placement.tab_index + 1);
        yield place.at(obj, placement.tab_index);
      }
      next = await packets.next();
    }
    place.advance(steps);
    return next.value;
  } finally {
    await packets.return(NO_OUTCOME);
  }
}

// The return value of a generator that is ended early; nobody reads it.
const NO_OUTCOME = undefined as never;

async function* writeDown(
  run: ResearchRun,
  place: Place,
  agent: Agent,
): AsyncGenerator<Packet, string> {
  let isStarted = false;
  const { text } = yield* askForWords(run, place, {
    messages: withRules(agent.messages, INTERMEDIATE_RULES),
    maxTextTokens: run.limits.intermediateTokens,
    signal: run.signal,
    show(piece) {
      const delta = place.ofAgent({ type: 'intermediate_report_delta', content: piece });
      if (isStarted) return [delta];
      isStarted = true;
      return [place.ofAgent({ type: 'intermediate_report_start' }), delta];
    },
  });
  return text;
}

function citedDocuments(report: string, numbers: CitationNumbers): Map<number, SearchDoc> {
  const cited = new Map<number, SearchDoc>();
  for (const number of citedNumbers(report, numbers.documents)) {
    const document = numbers.documents.get(number);
    if (document) cited.set(number, document);
  }
  return cited;
}
