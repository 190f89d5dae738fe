import { countTokens } from '#src/documents/count-tokens.ts';
import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { cutMiddle, cutToTokens } from './cut-text.ts';
import { addLeftOutNotice } from './left-out-notice.ts';
import { messageTokens, surelyFits, totalTokens } from './message-tokens.ts';

/** Results of earlier steps are cut to this before anything else. */
const EARLIER_RESULT_TOKENS = 500;
/** Results of the latest step are cut to this before history is dropped. */
const LATEST_RESULT_TOKENS = 4_000;
const SMALLEST_RESULT_TOKENS = 100;
const NOTICE_TOKENS = 24;

/** A message, or an answer with tool calls together with their results: these are never separated. */
type Unit = ChatModelMessage[];

/**
 * The messages of a running loop, within the budget. Tool results are cut first, those of earlier steps before those of
 * the last; then the oldest turns are dropped, then the earlier steps. System, the user's last message and the last
 * step stay, and are cut when they alone are too long.
 */
export function fitMessages(
  messages: readonly ChatModelMessage[],
  budgetTokens: number,
): ChatModelMessage[] {
  if (surelyFits(messages, budgetTokens)) return [...messages];
  let excess = totalTokens(messages, Infinity) - budgetTokens;
  if (excess <= 0) return [...messages];
  const parts = split(messages);
  const cutEarlier = (floor: number): void => {
    excess = shortenResults(parts.steps.slice(0, -1), floor, excess);
  };
  const cutLatest = (floor: number): void => {
    excess = shortenResults(parts.steps.slice(-1), floor, excess);
  };
  cutEarlier(EARLIER_RESULT_TOKENS);
  cutLatest(LATEST_RESULT_TOKENS);
  const left = dropOldest(parts.history, excess > 0 ? excess + NOTICE_TOKENS : 0);
  if (left.messages > 0) excess += NOTICE_TOKENS - left.tokens;
  cutEarlier(SMALLEST_RESULT_TOKENS);
  cutLatest(EARLIER_RESULT_TOKENS);
  if (parts.steps.length > 1 && excess > 0) {
    const latest = parts.steps.splice(-1);
    excess -= dropOldest(parts.steps, excess).tokens;
    parts.steps.push(...latest);
  }
  cutLatest(SMALLEST_RESULT_TOKENS);
  if (parts.question !== null) [parts.question, excess] = shortenQuestion(parts.question, excess);
  return join(parts, left.messages, Math.max(0, excess));
}

interface LoopMessages {
  system: ChatModelMessage[];
  history: Unit[];
  /** The user's last message. */
  question: ChatModelMessage | null;
  /** The messages after it. */
  steps: Unit[];
}

function split(messages: readonly ChatModelMessage[]): LoopMessages {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const isSystem = ({ role }: ChatModelMessage): boolean => role === 'system';
  const before = messages.slice(0, Math.max(0, asked)).filter((message) => !isSystem(message));
  return {
    system: messages.filter(isSystem),
    history: toUnits(before),
    question: messages[asked] ?? null,
    steps: toUnits(messages.slice(asked + 1).filter((message) => !isSystem(message))),
  };
}

function toUnits(messages: readonly ChatModelMessage[]): Unit[] {
  const units: Unit[] = [];
  for (const message of messages) {
    if (message.role === 'tool' && units.length > 0) units.at(-1)?.push(message);
    else units.push([message]);
  }
  return units;
}

/** Cuts the longest results until the excess is gone or all are down to `floor`. Returns the remaining excess. */
function shortenResults(units: readonly Unit[], floor: number, excess: number): number {
  if (excess <= 0) return excess;
  let left = excess;
  const results = units
    .flatMap((unit) => unit.map((message, index) => ({ unit, message, index })))
    .filter(({ message }) => message.role === 'tool')
    .map((result) => ({ ...result, tokens: countTokens(result.message.content) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  for (const { unit, message, index, tokens } of results) {
    if (left <= 0 || tokens <= floor) break;
    const content = cutToTokens(message.content, Math.max(floor, tokens - left));
    unit[index] = { ...message, content };
    left -= tokens - countTokens(content);
  }
  return left;
}

/** Removes units from the front until that many tokens are gone, plus any answers that would then come first. */
function dropOldest(units: Unit[], tokens: number): { messages: number; tokens: number } {
  const dropped = { messages: 0, tokens: 0 };
  while (units.length > 0 && tokens > 0) {
    const isOrphan = dropped.messages > 0 && units[0]?.[0]?.role === 'assistant';
    if (dropped.tokens >= tokens && !isOrphan) break;
    const unit = units.shift() ?? [];
    dropped.messages += unit.length;
    dropped.tokens += totalTokens(unit, Infinity);
  }
  return dropped;
}

/** The question is at the end of its message, so the middle is cut. */
function shortenQuestion(
  message: ChatModelMessage,
  excess: number,
): [message: ChatModelMessage, excess: number] {
  if (excess <= 0) return [message, excess];
  const tokens = countTokens(message.content);
  const shorter = { ...message, content: cutMiddle(message.content, Math.max(1, tokens - excess)) };
  return [shorter, excess - (messageTokens(message) - messageTokens(shorter))];
}

function join(
  { system, history, question, steps }: LoopMessages,
  left: number,
  excess: number,
): ChatModelMessage[] {
  const [rules, ...more] = system;
  const fitted = rules && {
    ...rules,
    content: cutToTokens(rules.content, Math.max(1, countTokens(rules.content) - excess)),
  };
  const told = fitted && { ...fitted, content: addLeftOutNotice(fitted.content, left) };
  return [
    ...(told ? [told] : []),
    ...more,
    ...history.flat(),
    ...(question === null ? [] : [question]),
    ...steps.flat(),
  ];
}
