import { cleanText } from '#src/documents/clean-text.ts';
import type { SearchDoc } from '#src/documents/search-hit.ts';
import { type ModelStep, type ModelStepInput, sourcesOf, startMessage } from './ask-model.ts';
import { askWithin } from './ask-within.ts';
import type { ChatModel, ChatModelMessage, ModelToolCall } from './model/chat-model.ts';
import { CitationNumbers } from './citations/citation-numbers.ts';
import { CitationWriter } from './citations/citations.ts';
import { escapeResult } from './prompt/delimit.ts';
import { type FirstSearch, searchFirst } from './first-search.ts';
import { type ModelErrorCode, ModelFailed } from './model/model-failed.ts';
import { packetAt, type Packet } from './packets.ts';
import { runTools, type ToolStepOutcome } from './run-tools.ts';
import type { ToolCall } from './tool-call.ts';
import { type Tool, TOOL_IDS } from './tools/tool.ts';
import { writeExtract } from './extract/write-extract.ts';

/** Calls of the model for one answer; the last one has no tools and must answer. */
const MAX_CYCLES = 6;
/** Of the context, kept free for what the model writes. */
const OUTPUT_SHARE = 0.2;
const MAX_OUTPUT_TOKENS = 16_000;

export interface GenerateInput {
  question: string;
  /** The user's message before this one; null when there is none. */
  questionBefore: string | null;
  /** Null when none is configured: the answer is then extractive. */
  model: ChatModel | null;
  temperature: number | null;
  /** What the request, the agent and the settings allow. */
  tools: readonly Tool[];
  /** Its tools alone are offered at first, and one of them must be called; null leaves it to the model. */
  forcedToolId: number | null;
  /** The prompt, with the documents of a first search, if there are any. */
  prompt: (documents: string | null, budgetTokens: number) => ChatModelMessage[];
  includeCitations: boolean;
  signal: AbortSignal;
}

/**
 * Answers: the packets of one answer in wire order, without the `stop` at its end; returns the tool calls made.
 *
 * Before the model is asked, its index is searched with the user's words. An answer from that search alone shows it as
 * the model's first tool; where the model calls tools, theirs are the documents, and the first search is forgotten.
 * @param toolCalls filled as they are made, for an answer that fails or is stopped afterwards
 * @throws ModelFailed when the model fails, Problem when a search does, the signal's reason when it aborts
 */
export async function* generateAnswer(
  input: GenerateInput,
  toolCalls: ToolCall[] = [],
): AsyncGenerator<Packet, ToolCall[]> {
  const { model, signal } = input;
  const search = input.tools.find(({ id }) => id === TOOL_IDS.internalSearch) ?? null;
  const isForced = input.forcedToolId !== null && model?.callsTools === true;
  // Files may come without a word, and a message may be of characters that no index knows.
  const hasWords = cleanText(input.question).trim() !== '';
  const first =
    search === null || isForced || !hasWords
      ? null
      : await searchFirst(search, { ...input, before: input.questionBefore });
  signal.throwIfAborted();
  if (model === null) return yield* extract(input, first, search !== null);
  return yield* runCycles(input, model, first, toolCalls);
}

/** Where the loop stands. */
interface Progress {
  messages: ChatModelMessage[];
  numbers: CitationNumbers;
  isSearched: boolean;
  mayCall: boolean;
  turn: number;
  toolCalls: ToolCall[];
}

async function* runCycles(
  input: GenerateInput,
  model: ChatModel,
  first: FirstSearch | null,
  toolCalls: ToolCall[],
): AsyncGenerator<Packet, ToolCall[]> {
  const budget = promptBudget(model);
  const found = first !== null && first.result.documents.length > 0 ? first : null;
  const progress: Progress = {
    messages: input.prompt(found?.result.text ?? null, budget),
    numbers: found?.numbers ?? new CitationNumbers(),
    isSearched: found !== null,
    mayCall: model.callsTools,
    turn: 0,
    toolCalls,
  };
  for (let cycle = 0; cycle < MAX_CYCLES; cycle += 1) {
    const offered = progress.mayCall && cycle < MAX_CYCLES - 1 ? offeredTools(input, cycle) : [];
    const forced = cycle === 0 && input.forcedToolId !== null && offered.length > 0;
    const standIn = forced ? searchFor(offered, input.question) : null;
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
      includeCitations: input.includeCitations,
      words: wordsOf(forced, standIn),
      beforeText: (at) => (cycle === 0 ? showFirstSearch(found, at) : stay(at)),
    };
    const step = yield* askWithin(asked, budget);
    if (step.finishReason === 'content-filter') throw withheld(model);
    if (cycle === 0 && found !== null && step.isShown) progress.toolCalls.push(found.toolCall);
    const calls = step.toolCalls.length === 0 && standIn !== null ? [standIn] : step.toolCalls;
    if (calls.length === 0 || offered.length === 0) {
      if (!step.isShown) throw emptyAnswer(model, step);
      return progress.toolCalls;
    }
    if (cycle === 0 && !step.isShown) forgetFirstSearch(progress, input.prompt(null, budget));
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
    goOn(progress, step, calls, outcome);
  }
  throw new Error('The last cycle offers no tools, so it ends the loop.');
}

/** Nothing of it was shown: the tools begin at number 1, with a prompt of their own. */
function forgetFirstSearch(progress: Progress, messages: ChatModelMessage[]): void {
  progress.numbers = new CitationNumbers();
  progress.messages = messages;
  progress.isSearched = false;
}

/** Enters what the tools have brought. */
function goOn(
  progress: Progress,
  step: ModelStep,
  calls: readonly ModelToolCall[],
  outcome: ToolStepOutcome,
): void {
  progress.turn = step.turn + 1;
  progress.toolCalls.push(...outcome.toolCalls);
  progress.isSearched ||= outcome.toolCalls.some(({ search_docs }) => search_docs !== null);
  progress.messages = [...progress.messages, ...asMessages(step, calls, outcome)];
  if (outcome.isLast) progress.mayCall = false;
}

function wordsOf(forced: boolean, standIn: ModelToolCall | null): 'shown' | 'held' | 'dropped' {
  if (standIn !== null) return 'dropped';
  return forced ? 'held' : 'shown';
}

function offeredTools({ tools, forcedToolId }: GenerateInput, cycle: number): readonly Tool[] {
  if (forcedToolId === null || cycle > 0) return tools;
  return tools.filter(({ id }) => id === forcedToolId);
}

/** A provider may not heed that a call is required: a forced search is then made with the user's words. */
function searchFor(forced: readonly Tool[], question: string): ModelToolCall | null {
  const search = forced.find(({ mergedBy }) => mergedBy === 'queries');
  if (!search) return null;
  const queries = JSON.stringify({ queries: [question] });
  return { id: 'call_forced', name: search.name, arguments: queries };
}

function asMessages(
  step: ModelStep,
  calls: readonly ModelToolCall[],
  { answers }: ToolStepOutcome,
): ChatModelMessage[] {
  return [
    { role: 'assistant', content: step.text, toolCalls: calls },
    ...answers.map(({ call, content }) => ({
      role: 'tool' as const,
      toolCallId: call.id,
      toolName: call.name,
      content: escapeResult(content),
    })),
  ];
}

function* showFirstSearch(first: FirstSearch | null, turn: number): Generator<Packet, number> {
  if (first === null) return turn;
  for (const body of first.bodies) yield packetAt(turn, body);
  yield packetAt(turn, { type: 'section_end' });
  return turn + 1;
}

// oxlint-disable-next-line require-yield -- it stands where a generator may show something
function* stay(turn: number): Generator<Packet, number> {
  return turn;
}

async function* extract(
  input: GenerateInput,
  first: FirstSearch | null,
  maySearch: boolean,
): AsyncGenerator<Packet, ToolCall[]> {
  const turn = yield* showFirstSearch(first, 0);
  const documents: readonly SearchDoc[] | null = first?.result.documents ?? null;
  const writer = new CitationWriter(
    sourcesOf(first?.numbers ?? new CitationNumbers()),
    input.includeCitations,
  );
  yield packetAt(turn, startMessage(documents));
  const hits = first?.result.hits ?? (maySearch ? [] : null);
  for (const piece of writeExtract(input.question, hits)) {
    for (const body of writer.quote(piece.text)) yield packetAt(turn, body);
    if (piece.citation === null) continue;
    for (const body of writer.cite(piece.citation)) yield packetAt(turn, body);
  }
  return first === null ? [] : [first.toolCall];
}

function promptBudget(model: ChatModel): number {
  return model.contextTokens - outputTokens(model);
}

function outputTokens({ contextTokens }: ChatModel): number {
  return Math.min(MAX_OUTPUT_TOKENS, Math.floor(contextTokens * OUTPUT_SHARE));
}

function emptyAnswer(model: ChatModel, { finishReason }: ModelStep): ModelFailed {
  return failed(model, finishReason, {
    errorCode: 'EMPTY_LLM_RESPONSE',
    says: 'ended without an answer. Ask again, or ask in other words.',
  });
}

/** What was said before the provider's filter stopped it is no answer. */
function withheld(model: ChatModel): ModelFailed {
  return failed(model, 'content-filter', {
    errorCode: 'CONTENT_POLICY',
    says: 'ended without a whole answer: the provider’s content filter stopped it.',
  });
}

function failed(
  model: ChatModel,
  finishReason: string,
  { errorCode, says }: { errorCode: ModelErrorCode; says: string },
): ModelFailed {
  const { name, provider } = model;
  return new ModelFailed(`The language model ${name} ${says}`, {
    errorCode,
    details: { model: name, provider, finish_reason: finishReason },
  });
}
