import type { SearchHit } from '#src/documents/search-hit.ts';
import { Problem } from '#src/platform/errors.ts';
import { buildPrompt, type PastMessage } from './build-prompt.ts';
import type { ChatModel } from './chat-model.ts';
import { CitationWriter, type CitationSource } from './citations.ts';
import { packetAt, type Packet } from './packets.ts';
import { toSearchDoc } from './search-doc.ts';
import type { ToolCall } from './tool-call.ts';
import type { InternalSearch } from './tools/internal-search.ts';
import type { ToolResult } from './tools/tool.ts';
import { writeExtract } from './write-extract.ts';

export interface GenerateInput {
  question: string;
  history: readonly PastMessage[];
  /** Null when the request allows no tool. */
  search: InternalSearch | null;
  /** Null when none is configured: the answer is then extractive. */
  model: ChatModel | null;
  temperature: number | null;
  additionalContext: string | null;
  includeCitations: boolean;
  signal: AbortSignal;
}

/**
 * Searches, then answers: the packets of one answer in wire order, `stop` last; returns the tool calls made.
 * @throws Problem when the search or the model fails, the signal's reason when it aborts
 */
export async function* generateAnswer(input: GenerateInput): AsyncGenerator<Packet, ToolCall[]> {
  let turn = 0;
  const calls: ToolCall[] = [];
  let found: ToolResult | null = null;
  if (input.search !== null) {
    const queries = [input.question];
    found = yield* runSearch(input.search, queries, turn, input.signal);
    calls.push(toToolCall(input.search.name, queries, found));
    turn += 1;
  }
  const writer = new CitationWriter(sourcesOf(found?.hits ?? []), input.includeCitations);
  turn =
    input.model === null
      ? yield* extract(input, found, writer, turn)
      : yield* askModel(input, input.model, found, writer, turn);
  yield packetAt(turn, { type: 'stop', stop_reason: null });
  return calls;
}

async function* runSearch(
  search: InternalSearch,
  queries: string[],
  turn: number,
  signal: AbortSignal,
): AsyncGenerator<Packet, ToolResult> {
  const run = search.run({ queries }, signal);
  let step = await run.next();
  while (step.done !== true) {
    yield packetAt(turn, step.value);
    step = await run.next();
  }
  yield packetAt(turn, { type: 'section_end' });
  return step.value;
}

async function* askModel(
  input: GenerateInput,
  model: ChatModel,
  found: ToolResult | null,
  writer: CitationWriter,
  firstTurn: number,
): AsyncGenerator<Packet, number> {
  const messages = buildPrompt({ ...input, documents: found?.text ?? null });
  const { temperature, signal } = input;
  let turn = firstTurn;
  let phase: 'waiting' | 'reasoning' | 'answer' = 'waiting';
  for await (const { type, text } of model.stream({ messages, temperature, signal })) {
    if (type === 'reasoning') {
      // What a model thinks after it began to answer has no place in the order of packets.
      if (phase === 'answer') continue;
      if (phase === 'waiting') yield packetAt(turn, { type: 'reasoning_start' });
      phase = 'reasoning';
      yield packetAt(turn, { type: 'reasoning_delta', reasoning: text });
      continue;
    }
    const isFirst = phase !== 'answer';
    const said = isFirst ? text.trimStart() : text;
    if (said === '') continue;
    if (phase === 'reasoning') {
      yield packetAt(turn, { type: 'reasoning_done' });
      turn += 1;
    }
    if (isFirst) yield startMessage(found, turn);
    phase = 'answer';
    for (const body of writer.write(said)) yield packetAt(turn, body);
  }
  if (phase !== 'answer') throw emptyAnswer(model);
  for (const body of writer.end()) yield packetAt(turn, body);
  return turn;
}

async function* extract(
  input: GenerateInput,
  found: ToolResult | null,
  writer: CitationWriter,
  turn: number,
): AsyncGenerator<Packet, number> {
  yield startMessage(found, turn);
  for (const piece of writeExtract(input.question, found?.hits ?? null)) {
    for (const body of writer.quote(piece.text)) yield packetAt(turn, body);
    if (piece.citation === null) continue;
    for (const body of writer.cite(piece.citation)) yield packetAt(turn, body);
  }
  return turn;
}

function startMessage(found: ToolResult | null, turn: number): Packet {
  const documents = found === null ? null : found.hits.map(toSearchDoc);
  return packetAt(turn, { type: 'message_start', final_documents: documents });
}

function sourcesOf(hits: readonly SearchHit[]): Map<number, CitationSource> {
  return new Map(
    hits.map((hit, index) => [index + 1, { documentId: hit.document_id, link: hit.link }]),
  );
}

function toToolCall(name: string, queries: string[], found: ToolResult): ToolCall {
  return {
    tool_name: name,
    tool_arguments: { queries },
    tool_result: found.text,
    search_docs: found.hits.map(toSearchDoc),
    generated_images: null,
    pre_reasoning: null,
  };
}

function emptyAnswer(model: ChatModel): Problem {
  return new Problem(
    'BAD_GATEWAY',
    `The language model ${model.name} ended without an answer. Ask again, or ask in other words.`,
    { retryAfterSeconds: 1 },
  );
}
