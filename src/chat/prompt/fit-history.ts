import { countTokens } from '#src/documents/count-tokens.ts';
import { removeCitations } from '#src/chat/citations/written-citations.ts';
import { cutToTokens, fitsTokens } from './cut-text.ts';
import { MESSAGE_TOKENS } from './message-tokens.ts';

export interface PastMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** A message cut to less than this is not worth including. */
const MIN_PART_TOKENS = 200;

/**
 * The end of a history that fits, oldest first: consecutive turns, beginning with the user. Citations in past answers
 * are removed, because their numbers now mean other documents.
 * @param budget in tokens; Infinity counts nothing
 * @returns also how many messages were left out
 */
export function fitHistory(
  history: readonly PastMessage[],
  budget: number,
): { kept: PastMessage[]; left: number } {
  const kept: PastMessage[] = [];
  let room = budget;
  let index = history.length - 1;
  for (; index >= 0; index -= 1) {
    const message = history[index];
    if (message === undefined || message.content.trim() === '') continue;
    const content =
      message.role === 'assistant' ? removeCitations(message.content) : message.content;
    if (!fitsTokens(content, room - MESSAGE_TOKENS)) {
      if (room < MIN_PART_TOKENS) break;
      push(kept, { role: message.role, content: cutToTokens(content, room - MESSAGE_TOKENS) });
      index -= 1;
      break;
    }
    if (room !== Infinity) room -= MESSAGE_TOKENS + countTokens(content);
    push(kept, { role: message.role, content });
  }
  const ordered = kept.toReversed();
  const isCut = index >= 0;
  // An answer without its question makes no sense.
  const from = isCut
    ? Math.max(
        0,
        ordered.findIndex(({ role }) => role === 'user'),
      )
    : 0;
  return { kept: ordered.slice(from), left: index + 1 + (isCut ? from : 0) };
}

/** Newest first. Some models require alternating roles, so consecutive messages of one role are merged. */
function push(kept: PastMessage[], message: PastMessage): void {
  const later = kept.at(-1);
  if (later?.role === message.role) later.content = `${message.content}\n\n${later.content}`;
  else kept.push({ ...message });
}
