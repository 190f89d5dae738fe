import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { callingMessage } from '#src/chat/steps/call-messages.ts';
import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import type { Packet } from '#src/chat/wire/packets.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { interleave } from '#src/platform/interleave.ts';
import { askWithinBudget, type ResearchRun } from './ask-within-budget.ts';
import type { Place } from './place.ts';
import { enclose, orchestratorRules, withMaterial, withRules } from './prompts.ts';
import { renumberCitations } from './renumber-citations.ts';
import { GENERATE_REPORT, readOrders, RESEARCH_AGENT, THINK_TOOL } from './research-tools.ts';
import { type AgentOutcome, runAgent } from './run-agent.ts';

/** The orchestrator's text beside its calls is not used. */
const MAX_SAID_TOKENS = 2_000;

export interface Findings {
  /** The written reports; they cite by the numbers of `documents`. */
  reports: { task: string; text: string }[];
  documents: ReadonlyMap<number, SearchDoc>;
  toolCalls: ToolCall[];
  /** The last error that ended an agent without a report, or null. */
  error: Error | null;
}

interface DirectInput {
  messages: readonly ChatModelMessage[];
  tools: readonly Tool[];
  question: string;
  plan: string;
}

/**
 * Lets the model send agents, a few at a time, until it asks for the report or a limit is reached. If the model sends
 * none, one is sent with the question itself.
 * @throws ModelFailed when a call of the orchestrator fails, the signal's reason when it aborts
 */
export async function* directAgents(
  run: ResearchRun,
  place: Place,
  input: DirectInput,
): AsyncGenerator<Packet, Findings> {
  const { limits, budget, signal } = run;
  const research = new Research(run, place, input.tools);
  const messages = withMaterial(input.messages, enclose('plan', input.plan));
  const maxCycles = (): number => (run.modelReasons ? limits.reasoningCycles : limits.cycles);
  for (let cycle = 0; cycle < maxCycles() && !budget.isSpent; cycle += 1) {
    const canThink = !run.modelReasons;
    const step = yield* askWithinBudget(run, place, {
      messages: withRules(messages, orchestratorRules(limits.agentsPerCycle, canThink)),
      tools: [RESEARCH_AGENT, GENERATE_REPORT, ...(canThink ? [THINK_TOOL] : [])],
      maxTextTokens: MAX_SAID_TOKENS,
      signal,
    });
    const orders = readOrders(step.calls, limits.agentsPerCycle);
    for (const thought of orders.thoughts) yield* showThought(place, thought);
    const reports = yield* research.send(
      orders.tasks.map(({ task }) => task),
      step.reasoning ?? (orders.thoughts.join('\n\n') || null),
    );
    if (orders.wantsReport || step.calls.length === 0) break;
    messages.push(callingMessage(step, step.calls));
    for (const call of step.calls) {
      const index = orders.tasks.findIndex((order) => order.call === call);
      const content = orders.answers.get(call) ?? enclose('report', reports[index] ?? '');
      messages.push({ role: 'tool', toolCallId: call.id, toolName: call.name, content });
    }
  }
  if (!research.hasBegun && !budget.isSpent) yield* research.send([input.question], null);
  return research.findings();
}

function* showThought(place: Place, thought: string): Generator<Packet> {
  yield place.at({ type: 'reasoning_start' });
  yield place.at({ type: 'reasoning_delta', reasoning: thought });
  yield place.at({ type: 'reasoning_done' });
  place.advance();
}

/** The agents sent so far, and their results. */
class Research {
  readonly #run: ResearchRun;
  readonly #place: Place;
  readonly #tools: readonly Tool[];
  readonly #numbers = new CitationNumbers();
  readonly #reports: Findings['reports'] = [];
  readonly #toolCalls: ToolCall[] = [];
  #error: Error | null = null;
  hasBegun = false;

  constructor(run: ResearchRun, place: Place, tools: readonly Tool[]) {
    this.#run = run;
    this.#place = place;
    this.#tools = tools;
  }

  findings(): Findings {
    return {
      reports: this.#reports,
      documents: this.#numbers.documents,
      toolCalls: this.#toolCalls,
      error: this.#error,
    };
  }

  /** Runs one agent per task in parallel; returns what the orchestrator is told about each. */
  async *send(
    tasks: readonly string[],
    reasoning: string | null,
  ): AsyncGenerator<Packet, string[]> {
    if (tasks.length === 0) return [];
    this.hasBegun = true;
    const outcomes = yield* this.#runAll(tasks);
    return outcomes.map((outcome) => this.#take(outcome, reasoning));
  }

  async *#runAll(tasks: readonly string[]): AsyncGenerator<Packet, AgentOutcome[]> {
    const places = tasks.map((_, tab) => this.#place.openTab(tab));
    if (tasks.length > 1)
      yield this.#place.at({ type: 'top_level_branching', num_parallel_branches: tasks.length });
    for (const [tab, task] of tasks.entries()) {
      const start = places[tab]?.ofAgent({ type: 'research_agent_start', research_task: task });
      if (start) yield start;
    }
    const agents = places.map((place, tab) =>
      runAgent(this.#run, place, this.#tools, tasks[tab] ?? ''),
    );
    const outcomes: AgentOutcome[] = [];
    for await (const step of interleave(agents, this.#run.signal)) {
      if (!step.done) {
        yield step.value;
        continue;
      }
      outcomes[step.index] = step.value;
      const end = places[step.index]?.ofAgent({ type: 'section_end' });
      if (end) yield end;
    }
    this.#place.advance();
    return outcomes;
  }

  /** Adds an agent's result: its citations get the numbers of the whole research. */
  #take(outcome: AgentOutcome, reasoning: string | null): string {
    const { task, cited, documents, failure } = outcome;
    const [range] = this.#numbers.openRanges(1);
    const report = renumberCitations(outcome.report, documents, (number) => {
      const document = cited.get(number);
      return document && range?.numberOf(document);
    });
    if (failure === null) this.#reports.push({ task, text: report });
    this.#error = outcome.error ?? this.#error;
    const told = failure === null ? report : `The agent failed. ${failure}`;
    this.#toolCalls.push(
      {
        tool_name: RESEARCH_AGENT.name,
        tool_arguments: { task },
        tool_result: told,
        search_docs: [...cited.values()],
        generated_images: null,
        pre_reasoning: reasoning,
      },
      ...outcome.toolCalls,
    );
    return told;
  }
}
