import { cleanText } from '#src/documents/clean-text.ts';
import type { SearchDoc } from '#src/documents/search-hit.ts';
import { startMessage } from './ask-model.ts';
import { CitationNumbers } from './citations/citation-numbers.ts';
import { writeExtract } from './extract/write-extract.ts';
import { type FirstSearch, searchFirst, showFirstSearch } from './first-search.ts';
import type { GenerateInput } from './generate-input.ts';
import { packetAt, type Packet } from './packets.ts';
import { runCycles } from './run-cycles.ts';
import { showPieces } from './show-pieces.ts';
import type { ToolCall } from './tool-call.ts';
import { TOOL_IDS } from './tools/tool.ts';

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

async function* extract(
  input: GenerateInput,
  first: FirstSearch | null,
  maySearch: boolean,
): AsyncGenerator<Packet, ToolCall[]> {
  const turn = yield* showFirstSearch(first, 0);
  const documents: readonly SearchDoc[] | null = first?.result.documents ?? null;
  yield packetAt(turn, startMessage(documents));
  const hits = first?.result.hits ?? (maySearch ? [] : null);
  const numbers = first?.numbers ?? new CitationNumbers();
  yield* showPieces(writeExtract(input.question, hits), { ...input, numbers, turn });
  return first === null ? [] : [first.toolCall];
}

export type { GenerateInput } from './generate-input.ts';
