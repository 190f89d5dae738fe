import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import type {
  ChatModel,
  ChatModelRequest,
  ModelToolCall,
  ProviderState,
} from '#src/chat/model/chat-model.ts';
import { type CitationStyle, CitationWriter } from '#src/chat/citations/citations.ts';
import type { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { packetAt, type Packet } from '#src/chat/wire/packets.ts';

export interface ModelStepInput {
  model: ChatModel;
  request: ChatModelRequest;
  numbers: CitationNumbers;
  /** The documents so far; null when nothing was searched. */
  documents: readonly SearchDoc[] | null;
  citations: CitationStyle;
  turn: number;
  /** Shows packets before the model's first text; returns the turn of that text. */
  beforeText: (turn: number) => Generator<Packet, number>;
  /** `held`: text is sent when the model has ended and called no tool. `dropped`: it is never sent. */
  words: 'shown' | 'held' | 'dropped';
}

export interface ModelStep {
  /** The model's text, with citations as it wrote them. */
  text: string;
  reasoning: string | null;
  toolCalls: ModelToolCall[];
  /** Sent back to the provider with the results of the calls. */
  state: ProviderState | undefined;
  finishReason: string;
  /** The turn of the next block; that of the text while one is open. */
  turn: number;
  /** The text was sent as packets. */
  isShown: boolean;
}

/** One model call: yields its reasoning and text as packets, in wire order; returns its tool calls. */
export async function* askModel(input: ModelStepInput): AsyncGenerator<Packet, ModelStep> {
  const writer = new CitationWriter(sourcesOf(input.numbers), input.citations);
  const step: ModelStep = {
    text: '',
    reasoning: null,
    toolCalls: [],
    state: undefined,
    finishReason: 'other',
    turn: input.turn,
    isShown: false,
  };
  let isReasoning = false;
  const show = function* (text: string): Generator<Packet> {
    if (!step.isShown) {
      step.turn = yield* input.beforeText(step.turn);
      yield packetAt(step.turn, startMessage(input.documents));
      step.isShown = true;
    }
    for (const body of writer.write(text)) yield packetAt(step.turn, body);
  };
  for await (const part of input.model.stream(input.request)) {
    switch (part.type) {
      case 'reasoning':
        // Reasoning after the first text has no place in the order of packets.
        if (step.text !== '') break;
        if (!isReasoning) yield packetAt(step.turn, { type: 'reasoning_start' });
        isReasoning = true;
        step.reasoning = (step.reasoning ?? '') + part.text;
        yield packetAt(step.turn, { type: 'reasoning_delta', reasoning: part.text });
        break;
      case 'text': {
        const said = step.text === '' ? part.text.trimStart() : part.text;
        if (said === '') break;
        if (isReasoning) yield* endReasoning();
        step.text += said;
        if (input.words === 'shown') yield* show(said);
        break;
      }
      case 'tool-call':
        step.toolCalls.push(part.call);
        break;
      case 'finish':
        step.finishReason = part.reason;
        step.state = part.state;
        break;
    }
  }
  if (isReasoning) yield* endReasoning();
  if (input.words === 'held' && step.toolCalls.length === 0 && step.text !== '')
    yield* show(step.text);
  if (step.isShown) for (const body of writer.end()) yield packetAt(step.turn, body);
  return step;

  function* endReasoning(): Generator<Packet> {
    isReasoning = false;
    yield packetAt(step.turn, { type: 'reasoning_done' });
    step.turn += 1;
  }
}

export function startMessage(documents: readonly SearchDoc[] | null): {
  type: 'message_start';
  final_documents: SearchDoc[] | null;
} {
  return { type: 'message_start', final_documents: documents === null ? null : [...documents] };
}

export function sourcesOf(
  numbers: CitationNumbers,
): Map<number, { documentId: string; link: string | null }> {
  return new Map(
    [...numbers.documents].map(([number, { document_id, link }]) => [
      number,
      { documentId: document_id, link },
    ]),
  );
}
