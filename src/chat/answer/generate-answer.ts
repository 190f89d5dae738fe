import { cleanText } from '#src/documents/clean-text.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { startMessage } from '#src/chat/steps/ask-model.ts';
import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { extractFrom } from '#src/chat/extract/extract-from.ts';
import { isFollowUp, antecedentQuestion } from '#src/chat/extract/follow-up.ts';
import { type FirstSearch, searchFirst, showFirstSearch } from './first-search.ts';
import type { GenerateInput } from './generate-input.ts';
import { packetAt, type Packet } from '#src/chat/wire/packets.ts';
import { runToolLoop } from './run-tool-loop.ts';
import { streamPieces } from './stream-pieces.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import { TOOL_IDS } from '#src/chat/tools/tool.ts';

/**
 * Generates an answer: its packets in wire order, without the final `stop`; returns the tool calls made.
 *
 * Before the model is called, the index is searched with the user's words. An answer from that search alone shows it as
 * the first tool call; if the model calls tools, only their documents are used, and the first search is dropped.
 * @param toolCalls filled as they are made, for an answer that later fails or is stopped
 * @throws ModelFailed when the model fails, Problem when a search does, the signal's reason when it aborts
 */
export async function* generateAnswer(
  input: GenerateInput,
  toolCalls: ToolCall[] = [],
): AsyncGenerator<Packet, ToolCall[]> {
  const { model, signal } = input;
  const search = input.tools.find(({ id }) => id === TOOL_IDS.internalSearch) ?? null;
  const isForced = input.forcedToolId !== null && model?.callsTools === true;
  // A message may have only files, or only characters that the index ignores.
  const hasWords = cleanText(input.question).trim() !== '';
  const before = model === null ? contextOf(input) : (input.questionsBefore.at(-1) ?? null);
  const first =
    search === null || isForced || !hasWords
      ? null
      : await searchFirst(search, { ...input, before });
  signal.throwIfAborted();
  if (model === null) {
    return yield* extract(input, { first, before, maySearch: search !== null });
  }
  return yield* runToolLoop(input, model, first, toolCalls);
}

/**
 * The earlier question to search with when there is no model; null when the question is self-contained. A model knows by
 * itself what a question refers to.
 */
function contextOf({ question, questionsBefore }: GenerateInput): string | null {
  return isFollowUp(question) ? antecedentQuestion(questionsBefore) : null;
}

async function* extract(
  input: GenerateInput,
  searched: { first: FirstSearch | null; before: string | null; maySearch: boolean },
): AsyncGenerator<Packet, ToolCall[]> {
  const { first, before, maySearch } = searched;
  const turn = yield* showFirstSearch(first, 0);
  const documents: readonly SearchDoc[] | null = first?.result.documents ?? null;
  const hits = first?.result.hits ?? (maySearch ? [] : null);
  const asked = { question: input.question, before };
  const pieces = await extractFrom(asked, hits, input.readPassages);
  input.signal.throwIfAborted();
  yield packetAt(turn, startMessage(documents));
  const numbers = first?.numbers ?? new CitationNumbers();
  yield* streamPieces(pieces, { ...input, numbers, turn });
  return first === null ? [] : [first.toolCall];
}

export type { GenerateInput } from './generate-input.ts';
