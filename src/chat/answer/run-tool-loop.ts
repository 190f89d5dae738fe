import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { type ModelStep, type ModelStepInput, startMessage } from '#src/chat/steps/ask-model.ts';
import { askWithin } from '#src/chat/steps/ask-within.ts';
import { callingMessage, refusedCalls } from '#src/chat/steps/call-messages.ts';
import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { cutNote } from '#src/chat/steps/cut-note.ts';
import { writeQuotes } from '#src/chat/extract/write-quotes.ts';
import { type FirstSearch, showFirstSearch } from './first-search.ts';
import type { GenerateInput } from './generate-input.ts';
import type { ChatModel, ChatModelMessage, ModelToolCall } from '#src/chat/model/chat-model.ts';
import { emptyAnswer, withheld } from '#src/chat/steps/no-answer.ts';
import { packetAt, type Packet } from '#src/chat/wire/packets.ts';
import { escapeResult } from '#src/chat/prompt/delimit.ts';
import { runTools, type ToolStepOutcome } from '#src/chat/steps/run-tools.ts';
import { streamPieces } from './stream-pieces.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Tool } from '#src/chat/tools/tool.ts';

/**
 * Maximum number of model calls per answer. The last one has no tools; if the model calls one anyway, it is asked once
 * more.
 */
const MAX_CYCLES = 6;
const PARAGRAPH = '\n\n';
/** Mistral only accepts ids of nine letters and digits. */
const FORCED_ID = 'forced001';
/** Share of the context that is reserved for the output. */
const OUTPUT_SHARE = 0.2;
const MAX_OUTPUT_TOKENS = 16_000;

/** The state of the loop. */
interface Progress {
  messages: ChatModelMessage[];
  /** The search with the user's words, until it is shown or dropped. */
  first: FirstSearch | null;
  numbers: CitationNumbers;
  isSearched: boolean;
  /** The hits so far, for an answer by quotes when the model gives none. */
  hits: readonly SearchHit[];
  mayCall: boolean;
  /** The model called tools when it had none, and was told so. */
  isRefused: boolean;
  turn: number;
  toolCalls: ToolCall[];
}

/**
 * Calls the model, runs the tools that it calls, and repeats with their results until it answers.
 * @param toolCalls filled as they are made
 */
export async function* runToolLoop(
  input: GenerateInput,
  model: ChatModel,
  first: FirstSearch | null,
  toolCalls: ToolCall[],
): AsyncGenerator<Packet, ToolCall[]> {
  const budget = promptBudget(model);
  const progress = begin(input, { model, first, toolCalls, budget });
  for (let cycle = 0; cycle <= MAX_CYCLES; cycle += 1) {
    const offered = progress.mayCall && cycle < MAX_CYCLES - 1 ? offeredTools(input, cycle) : [];
    const forced = cycle === 0 && input.forcedToolId !== null && offered.length > 0;
    const fallbackCall = forced ? searchFor(offered, input.question) : null;
    const asked: ModelStepInput = {
      ...progress,
      model,
      request: {
        messages: progress.messages,
        temperature: input.temperature,
        tools: offered,
        toolChoice: forced ? 'required' : 'auto',
        signal: input.signal,
      },
      documents: progress.isSearched ? [...progress.numbers.documents.values()] : null,
      citations: input.citations,
      words: textModeOf(forced, fallbackCall),
      beforeText: (at) => showFirst(progress, at),
    };
    const step = yield* askWithin(asked, budget);
    if (step.finishReason === 'content-filter') throw withheld(model);
    const calls =
      step.toolCalls.length === 0 && fallbackCall !== null ? [fallbackCall] : step.toolCalls;
    if (calls.length === 0 || offered.length === 0) {
      if (step.isShown) return yield* endAnswer(input, progress, step);
      if (calls.length === 0 || progress.isRefused)
        return yield* quoteFound(input, { model, progress, step });
      refuse(progress, step, calls);
      continue;
    }
    // Separates the texts for readers that join all deltas.
    if (step.isShown && !step.text.endsWith(PARAGRAPH))
      yield packetAt(step.turn, { type: 'message_delta', content: PARAGRAPH });
    if (progress.first !== null) forgetFirstSearch(progress, input.prompt(null, budget));
    const outcome = yield* runTools({
      calls,
      tools: offered,
      numbers: progress.numbers,
      question: input.question,
      turn: step.turn,
      firstTab: step.isShown ? 1 : 0,
      reasoning: step.reasoning,
      signal: input.signal,
    });
    recordToolResults(progress, step, calls, outcome);
  }
  throw new Error(
    'The last cycle offers no tools, and calls are refused once, so it ends the loop.',
  );
}

function begin(
  input: GenerateInput,
  at: { model: ChatModel; first: FirstSearch | null; toolCalls: ToolCall[]; budget: number },
): Progress {
  const { model, first, toolCalls, budget } = at;
  const found = first !== null && first.result.documents.length > 0 ? first : null;
  return {
    messages: input.prompt(found?.result.text ?? null, budget),
    first: found,
    numbers: found?.numbers ?? new CitationNumbers(),
    isSearched: found !== null,
    hits: found?.result.hits ?? [],
    mayCall: model.callsTools,
    isRefused: false,
    turn: 0,
    toolCalls,
  };
}

/** Shows the first search before the first word of an answer based on it. */
function* showFirst(progress: Progress, turn: number): Generator<Packet, number> {
  const { first } = progress;
  if (first === null) return turn;
  progress.first = null;
  progress.toolCalls.push(first.toolCall);
  return yield* showFirstSearch(first, turn);
}

function* endAnswer(
  { onCut }: GenerateInput,
  { toolCalls }: Progress,
  { text, turn, finishReason }: ModelStep,
): Generator<Packet, ToolCall[]> {
  if (finishReason === 'length') {
    yield packetAt(turn, { type: 'message_delta', content: cutNote(text) });
    onCut?.();
  }
  return toolCalls;
}

/** Nothing was shown, so the next text uses the same turn index. */
function refuse(progress: Progress, step: ModelStep, calls: readonly ModelToolCall[]): void {
  progress.isRefused = true;
  progress.turn = step.turn;
  progress.messages = [...progress.messages, ...refusedCalls(step, calls)];
}

/** @throws ModelFailed when no hit fits the question */
function* quoteFound(
  input: GenerateInput,
  { model, progress, step }: { model: ChatModel; progress: Progress; step: ModelStep },
): Generator<Packet, ToolCall[]> {
  const { hits, numbers, toolCalls } = progress;
  const calledOnly = step.toolCalls.length > 0;
  const pieces = calledOnly ? writeQuotes(input.question, hits, numbers) : [];
  if (pieces.length === 0) throw emptyAnswer(model, step.finishReason);
  const turn = yield* showFirst(progress, step.turn);
  yield packetAt(turn, startMessage([...numbers.documents.values()]));
  yield* streamPieces(pieces, { ...input, numbers, turn });
  return toolCalls;
}

/** Nothing of it was shown, so the tools number their documents from 1 and use a new prompt. */
function forgetFirstSearch(progress: Progress, messages: ChatModelMessage[]): void {
  progress.first = null;
  progress.numbers = new CitationNumbers();
  progress.hits = [];
  progress.messages = messages;
  progress.isSearched = false;
}

/** Records the results of the tools. */
function recordToolResults(
  progress: Progress,
  step: ModelStep,
  calls: readonly ModelToolCall[],
  outcome: ToolStepOutcome,
): void {
  // A step that showed nothing does not use up a turn index.
  progress.turn = step.isShown || outcome.isShown ? step.turn + 1 : step.turn;
  progress.toolCalls.push(...outcome.toolCalls);
  progress.hits = [...progress.hits, ...outcome.hits];
  progress.isSearched ||= outcome.toolCalls.some(({ search_docs }) => search_docs !== null);
  progress.messages = [...progress.messages, ...asMessages(step, calls, outcome)];
  if (outcome.isLast) progress.mayCall = false;
}

function textModeOf(
  forced: boolean,
  fallbackCall: ModelToolCall | null,
): 'shown' | 'held' | 'dropped' {
  if (fallbackCall !== null) return 'dropped';
  return forced ? 'held' : 'shown';
}

function offeredTools({ tools, forcedToolId }: GenerateInput, cycle: number): readonly Tool[] {
  if (forcedToolId === null || cycle > 0) return tools;
  return tools.filter(({ id }) => id === forcedToolId);
}

/** A provider may ignore that a call is required: then a forced search is made with the user's words. */
function searchFor(forced: readonly Tool[], question: string): ModelToolCall | null {
  const search = forced.find(({ mergedBy }) => mergedBy === 'queries');
  if (!search) return null;
  const queries = JSON.stringify({ queries: [question] });
  return { id: FORCED_ID, name: search.name, arguments: queries };
}

function asMessages(
  step: ModelStep,
  calls: readonly ModelToolCall[],
  { answers }: ToolStepOutcome,
): ChatModelMessage[] {
  return [
    callingMessage(step, calls),
    ...answers.map(({ call, content }) => ({
      role: 'tool' as const,
      toolCallId: call.id,
      toolName: call.name,
      content: escapeResult(content),
    })),
  ];
}

function promptBudget(model: ChatModel): number {
  return model.contextTokens - outputTokens(model);
}

function outputTokens({ contextTokens }: ChatModel): number {
  return Math.min(MAX_OUTPUT_TOKENS, Math.floor(contextTokens * OUTPUT_SHARE));
}
