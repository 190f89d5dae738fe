import type { ChatModelPart, ModelToolCall, ModelUsage } from './chat-model.ts';
import { AnswerWithheld } from './model-failure.ts';
import { WholeText } from './whole-text.ts';

/** What a provider sends, in any pieces. */
export type AnswerPiece =
  | { type: 'text' | 'reasoning' | 'refusal' | 'arguments'; delta: string }
  | { type: 'call'; call: ModelToolCall }
  | { type: 'end'; reason: string; usage: ModelUsage | null };

/**
 * The parts of one answer. Calls of tools come whole, when the answer has ended as it should; an answer of more than
 * `maxCharacters` ends there.
 * @throws AnswerWithheld when it ends with nothing but a refusal
 */
export async function* readAnswer(
  pieces: AsyncIterable<AnswerPiece>,
  maxCharacters: number,
): AsyncGenerator<ChatModelPart, void> {
  const whole = { text: new WholeText(), reasoning: new WholeText() };
  const calls: ModelToolCall[] = [];
  let room = maxCharacters;
  let refusal = '';
  let hasText = false;
  for await (const piece of pieces) {
    if (piece.type === 'call') {
      calls.push(piece.call);
      continue;
    }
    if (piece.type === 'end') {
      for (const type of ['reasoning', 'text'] as const) {
        const rest = whole[type].end();
        if (rest !== '') yield { type, text: rest };
      }
      if (!hasText && calls.length === 0) assertGiven(piece.reason, refusal);
      for (const call of calls) yield { type: 'tool-call', call };
      yield { type: 'finish', reason: reasonOf(piece.reason, refusal, calls), usage: piece.usage };
      return;
    }
    const { type, delta } = piece;
    if (type === 'refusal') refusal += delta;
    if (type === 'text' || type === 'reasoning') {
      const text = whole[type].write(delta.slice(0, room));
      if (text !== '') yield { type, text };
      if (type === 'text') hasText ||= text !== '';
    }
    room -= delta.length;
    if (room > 0) continue;
    yield { type: 'finish', reason: 'length', usage: null };
    return;
  }
  throw new Error('the answer broke off');
}

function assertGiven(reason: string, refusal: string): void {
  if (refusal !== '') throw new AnswerWithheld('MODEL_REFUSAL', refusal);
  if (reason === 'content-filter')
    throw new AnswerWithheld('CONTENT_POLICY', 'its content filter withheld the answer');
}

/** Some servers end calls of tools with `stop`, and some say that there are calls when there are none. */
function reasonOf(
  reason: string,
  refusal: string,
  calls: readonly ModelToolCall[],
): Extract<ChatModelPart, { type: 'finish' }>['reason'] {
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
