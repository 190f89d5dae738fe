import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import { interleave } from '#src/platform/interleave.ts';
import type { ModelToolCall } from '#src/chat/model/chat-model.ts';
import type { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { packetAt, type Packet, type PacketBody } from '#src/chat/wire/packets.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import {
  type Tool,
  type ToolContext,
  ToolFailed,
  type ToolResult,
  WrongArguments,
} from '#src/chat/tools/tool.ts';

const TOOL_TIMEOUT_MS = 10 * 60_000;
/** A model that asks for more at once is told to use another step. */
const MAX_PARALLEL_CALLS = 8;
const MAX_MERGED_ITEMS = 10;

export interface ToolStepInput {
  calls: readonly ModelToolCall[];
  tools: readonly Tool[];
  numbers: CitationNumbers;
  question: string;
  turn: number;
  /** 1 when the model has written text in this turn before its calls. */
  firstTab: number;
  /** The model's reasoning before its calls. */
  reasoning: string | null;
  signal: AbortSignal;
}

export interface ToolStepOutcome {
  /** The responses for the model, one per call, in order. */
  answers: { call: ModelToolCall; content: string }[];
  toolCalls: ToolCall[];
  hits: readonly SearchHit[];
  /** A tool that ends the use of tools has run. */
  isLast: boolean;
  /** Packets were sent: the next block is another turn. */
  isShown: boolean;
}

/** One run of a tool, for one call or for several merged ones. */
interface Branch {
  tool: Tool;
  input: Record<string, unknown>;
  calls: ModelToolCall[];
  /** Why it is not run; null when it is. */
  refusal: string | null;
}

/**
 * Runs the tool calls of one step in parallel; calls of the same search tool are merged (a step's searches are one
 * block for clients). Yields all packets, each branch in its own tab, with a `section_end` for each. A call that cannot
 * be run, or whose tool fails, is answered with the reason.
 * @throws the signal's reason
 */
export async function* runTools(input: ToolStepInput): AsyncGenerator<Packet, ToolStepOutcome> {
  const { branches, refused } = planBranches(input.calls, input.tools);
  const answers = new Map<ModelToolCall, string>(refused);
  const outcome: ToolStepOutcome = {
    answers: [],
    toolCalls: [],
    hits: [],
    isLast: false,
    isShown: false,
  };
  if (branches.length > 0) {
    const { results, isShown } = yield* runBranches(branches, input);
    outcome.isShown = isShown;
    for (const [index, { tool, input: args, calls }] of branches.entries()) {
      const result = results[index] ?? NO_RESULT;
      const [first, ...others] = calls;
      if (first) answers.set(first, result.text);
      for (const other of others)
        answers.set(other, 'See the result of the call before: both ran as one.');
      outcome.toolCalls.push(toToolCall(tool.name, args, result, input.reasoning));
      outcome.hits = [...outcome.hits, ...(result.hits ?? [])];
      outcome.isLast ||= tool.isLast;
    }
  }
  outcome.answers = input.calls.map((call) => ({ call, content: answers.get(call) ?? '' }));
  return outcome;
}

const NO_OBJECT = 'The arguments are not a JSON object. Call the tool again with valid JSON.';
const NO_RESULT: ToolResult = { text: '', documents: [] };

function planBranches(
  calls: readonly ModelToolCall[],
  tools: readonly Tool[],
): { branches: Branch[]; refused: [ModelToolCall, string][] } {
  const branches: Branch[] = [];
  const refused: [ModelToolCall, string][] = [];
  for (const call of calls) {
    const tool = tools.find(({ name }) => name === call.name);
    const parsed = parseArguments(call.arguments);
    const input = parsed ?? {};
    if (!tool) {
      refused.push([call, `There is no tool named ${call.name}. ${listOf(tools)}`]);
    } else if (!mergeInto(branches, tool, input, call)) {
      const refusal = parsed === undefined ? NO_OBJECT : null;
      if (branches.length < MAX_PARALLEL_CALLS)
        branches.push({ tool, input, calls: [call], refusal });
      else
        refused.push([
          call,
          `Not run: at most ${MAX_PARALLEL_CALLS} calls run in one step. Call it again.`,
        ]);
    }
  }
  return { branches, refused };
}

function listOf(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'No tools are left: answer with what you have.';
  return `The tools are: ${tools.map(({ name }) => name).join(', ')}.`;
}

function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    // Known to be an object; the tool's own schema validates its contents.
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Appends a call's list to that of an earlier call of the same tool; false when there is no earlier call or no list.
 */
function mergeInto(
  branches: readonly Branch[],
  tool: Tool,
  input: Record<string, unknown>,
  call: ModelToolCall,
): boolean {
  const { mergedBy } = tool;
  const earlier = branches.find((branch) => branch.tool === tool && branch.refusal === null);
  if (mergedBy === null || !earlier) return false;
  const mine = input[mergedBy];
  const theirs = earlier.input[mergedBy];
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return false;
  const merged = new Set<unknown>(theirs.concat(mine));
  earlier.input = { ...earlier.input, [mergedBy]: [...merged].slice(0, MAX_MERGED_ITEMS) };
  earlier.calls.push(call);
  return true;
}

async function* runBranches(
  branches: readonly Branch[],
  { numbers, question, turn, firstTab, signal }: ToolStepInput,
): AsyncGenerator<Packet, { results: ToolResult[]; isShown: boolean }> {
  const ranges = numbers.openRanges(branches.length);
  const results: ToolResult[] = branches.map(() => NO_RESULT);
  using deadline = startDeadline(signal, TOOL_TIMEOUT_MS);
  const runs = branches.map((branch, index) => {
    const range = ranges[index];
    if (!range) throw new Error('There are fewer number ranges than branches.');
    return runBranch(branch, { numbers: range, question, signal: deadline.signal });
  });
  if (runs.length > 1)
    yield packetAt(turn, { type: 'top_level_branching', num_parallel_branches: runs.length });
  // The first packets are sent in the order of the calls; later ones as they arrive.
  const shown = new Set<number>();
  for (const [index, run] of runs.entries()) {
    const first = await untilAborted(run.next(), signal);
    if (first.done === true) {
      results[index] = first.value;
      continue;
    }
    shown.add(index);
    yield packetAt(turn, first.value, firstTab + index);
  }
  for await (const { index, done, value } of interleave(runs, signal)) {
    // A run that ended before its first packet has nothing to close, and its result was recorded above.
    if (done && !shown.has(index)) continue;
    if (done) results[index] = value;
    yield packetAt(turn, done ? { type: 'section_end' } : value, firstTab + index);
  }
  return { results, isShown: shown.size > 0 };
}

/** Runs a tool. A failure becomes the response for the model, and is shown if the tool has a packet for it. */
async function* runBranch(
  { tool, input, refusal }: Branch,
  context: ToolContext,
): AsyncGenerator<PacketBody, ToolResult> {
  let isStarted = false;
  try {
    if (refusal !== null) throw new WrongArguments(refusal);
    return yield* noticing(tool.run(input, context), () => (isStarted = true));
  } catch (error) {
    if (error instanceof ToolFailed) {
      const shown = tool.showFailure?.(error);
      if (shown && !isStarted) yield shown.start;
      if (shown?.error) yield shown.error;
      return failed(error.message);
    }
    if (!context.signal.aborted) throw error;
    return failed(`${tool.name} did not end in time.`);
  }
}

async function* noticing<Result>(
  packets: AsyncGenerator<PacketBody, Result>,
  onPacket: () => void,
): AsyncGenerator<PacketBody, Result> {
  let isDone = false;
  try {
    for (;;) {
      const step = await packets.next();
      isDone = step.done === true;
      if (step.done === true) return step.value;
      onPacket();
      yield step.value;
    }
  } finally {
    if (!isDone) await packets.return(undefined as never); // nobody reads its return value then
  }
}

function failed(reason: string): ToolResult {
  return { text: JSON.stringify({ error: reason }), documents: [] };
}

function toToolCall(
  name: string,
  args: Record<string, unknown>,
  result: ToolResult,
  reasoning: string | null,
): ToolCall {
  return {
    tool_name: name,
    tool_arguments: args,
    tool_result: result.text,
    search_docs: result.documents.length > 0 || result.hits ? [...result.documents] : null,
    generated_images: result.images ? [...result.images] : null,
    pre_reasoning: reasoning,
  };
}
