import type { ChatModelPart, ModelToolCall, ModelUsage, ProviderState } from './chat-model.ts';
import { AnswerWithheld } from './model-failure.ts';
import { type ThinkingPiece, ThinkingSplitter } from './split-thinking.ts';
import { CharacterJoiner } from './character-joiner.ts';

/** The provider's output, in pieces of any size. */
export type AnswerPiece =
  | { type: 'text' | 'reasoning' | 'refusal' | 'arguments'; delta: string }
  | { type: 'call'; call: ModelToolCall }
  | {
      type: 'end';
      reason: string;
      usage: ModelUsage | null;
      /** What must be sent back to the provider with the results of the calls. */
      state?: ProviderState | undefined;
    };

type FinishReason = Extract<ChatModelPart, { type: 'finish' }>['reason'];

/**
 * The parts of one answer. Tool calls are emitted complete, once the answer has ended properly; an answer of more than
 * `maxCharacters` ends there.
 * @throws AnswerWithheld when it contains nothing but a refusal
 */
export async function* readAnswer(
  pieces: AsyncIterable<AnswerPiece>,
  maxCharacters: number,
): AsyncGenerator<ChatModelPart, void> {
  const words = new Words();
  const calls: ModelToolCall[] = [];
  let room = maxCharacters;
  let refusal = '';
  for await (const piece of pieces) {
    if (piece.type === 'call') {
      calls.push(piece.call);
      continue;
    }
    if (piece.type === 'end') {
      const reason = reasonOf(piece.reason, refusal, calls);
      yield* words.end(reason);
      if (!words.hasText && calls.length === 0) assertGiven(piece.reason, refusal);
      for (const call of calls) yield { type: 'tool-call', call };
      const { usage, state } = piece;
      const goesBack = calls.length > 0 && state !== undefined;
      yield { type: 'finish', reason, usage, ...(goesBack && { state }) };
      return;
    }
    const { type, delta } = piece;
    if (type === 'refusal') refusal += delta;
    if (type === 'text' || type === 'reasoning') yield* words.write(type, delta.slice(0, room));
    room -= delta.length;
    if (room > 0) continue;
    yield { type: 'finish', reason: 'length', usage: null };
    return;
  }
  throw new Error('the answer broke off');
}

/** Separates text and reasoning, in whole characters. */
class Words {
  readonly #whole = { text: new CharacterJoiner(), reasoning: new CharacterJoiner() };
  readonly #splitter = new ThinkingSplitter();
  hasText = false;

  *write(type: 'text' | 'reasoning', delta: string): Generator<ChatModelPart> {
    const pieces = type === 'text' ? this.#splitter.write(delta) : [{ type, text: delta }];
    yield* this.#show(pieces);
  }

  *end(reason: FinishReason): Generator<ChatModelPart> {
    yield* this.#show(this.#splitter.end(reason === 'stop'));
    for (const type of ['reasoning', 'text'] as const) {
      const rest = this.#whole[type].end();
      if (rest !== '') yield { type, text: rest };
    }
  }

  *#show(pieces: readonly ThinkingPiece[]): Generator<ChatModelPart> {
    for (const { type, text } of pieces) {
      const shown = this.#whole[type].write(text);
      if (shown !== '') yield { type, text: shown };
      if (type === 'text') this.hasText ||= shown !== '';
    }
  }
}

function assertGiven(reason: string, refusal: string): void {
  if (refusal !== '') throw new AnswerWithheld('MODEL_REFUSAL', refusal);
  if (reason === 'content-filter')
    throw new AnswerWithheld('CONTENT_POLICY', 'its content filter withheld the answer');
}

/** Some servers end tool calls with `stop`, and some report calls when there are none. */
function reasonOf(reason: string, refusal: string, calls: readonly ModelToolCall[]): FinishReason {
  if (refusal !== '') return 'content-filter';
  switch (reason) {
    case 'stop':
      return calls.length > 0 ? 'tool-calls' : 'stop';
    case 'tool-calls':
      return calls.length > 0 ? 'tool-calls' : 'other';
    case 'length':
    case 'content-filter':
      return reason;
    default:
      return 'other';
  }
}
