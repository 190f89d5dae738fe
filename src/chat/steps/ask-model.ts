import type { SearchDoc } from '#src/documents/search-hit.ts';
import type {
  ChatModel,
  ChatModelRequest,
  ModelToolCall,
  ProviderState,
} from '#src/chat/model/chat-model.ts';
import { CitationWriter } from '#src/chat/citations/citations.ts';
import type { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { packetAt, type Packet } from '#src/chat/wire/packets.ts';

export interface ModelStepInput {
  model: ChatModel;
  request: ChatModelRequest;
  numbers: CitationNumbers;
  /** What the answer was given so far; null when nothing was searched. */
  documents: readonly SearchDoc[] | null;
  includeCitations: boolean;
  turn: number;
  /** What is shown before the model's first word; returns the turn of that word. */
  beforeText: (turn: number) => Generator<Packet, number>;
  /** `held`: words go out when the model has ended and called no tool. `dropped`: they never do. */
  words: 'shown' | 'held' | 'dropped';
}

export interface ModelStep {
  /** What the model said, citations as it wrote them. */
  text: string;
  reasoning: string | null;
  toolCalls: ModelToolCall[];
  /** Goes back to the provider with the results of the calls. */
  state: ProviderState | undefined;
  finishReason: string;
  /** Where the next block goes; that of the text while one is open. */
  turn: number;
  /** The words went out as packets. */
  isShown: boolean;
}

/** One call of the model: its reasoning and its words as packets, in wire order; what it asks for is returned. */
export async function* askModel(input: ModelStepInput): AsyncGenerator<Packet, ModelStep> {
  const writer = new CitationWriter(sourcesOf(input.numbers), input.includeCitations);
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
        // What a model thinks after it began to answer has no place in the order of packets.
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
