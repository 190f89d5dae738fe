import type {
  ChatModel,
  ChatModelMessage,
  ChatModelPart,
  ModelTool,
  ModelToolCall,
  ModelUsage,
  ProviderState,
} from '#src/chat/model/chat-model.ts';
import { fitMessages } from '#src/chat/prompt/fit-messages.ts';
import type { Packet } from '#src/chat/wire/packets.ts';
import { countTokens } from '#src/documents/count-tokens.ts';
import type { Place } from './place.ts';
import type { ResearchBudget, ResearchLimits } from './research-limits.ts';
import { TokenMeter } from './token-meter.ts';

/** Reasoning beyond this is cut off, together with the call. */
const MAX_REASONING_TOKENS = 32_000;
/** Further calls are ignored, but the stream is read on, since the end of the answer comes after them. */
const MAX_CALLS = 20;
const RUNAWAY_CALLS = 200;

/** State shared by all model calls of one research. */
export interface ResearchRun {
  model: ChatModel;
  temperature: number | null;
  limits: ResearchLimits;
  budget: ResearchBudget;
  now: () => Date;
  signal: AbortSignal;
  /** The model has shown its own reasoning. */
  modelReasons: boolean;
}

export interface ModelQuestion {
  messages: readonly ChatModelMessage[];
  tools?: readonly ModelTool[];
  maxTextTokens: number;
  signal: AbortSignal;
  /** The packets that show a text, from its first non-blank character; none unless given. */
  show?: (text: string) => readonly Packet[];
}

export interface ModelStep {
  text: string;
  /** Null when there was none. */
  reasoning: string | null;
  calls: ModelToolCall[];
  /** Sent back to the provider with the results of the calls. */
  state: ProviderState | undefined;
  reason: (ChatModelPart & { type: 'finish' })['reason'];
  /** The call was ended here, at a limit of the research. */
  isOver: boolean;
}

/**
 * One model call. Its reasoning is shown at `place`, which then advances one step; its text as `show` says. A text that
 * grows too long and a call that takes too long are cut off, and the part so far counts.
 * @throws ModelFailed when the provider fails, the signal's reason when it aborts
 */
export async function* askWithinBudget(
  run: ResearchRun,
  place: Place,
  question: ModelQuestion,
): AsyncGenerator<Packet, ModelStep> {
  const { signal, tools = [], show = () => [] } = question;
  const messages = fitMessages(question.messages, inputTokens(run.model, question));
  const text = new TokenMeter(question.maxTextTokens);
  const reasoning = new TokenMeter(MAX_REASONING_TOKENS);
  const calls: ModelToolCall[] = [];
  let reason: ModelStep['reason'] = 'length';
  let usage: ModelUsage | null = null;
  let state: ProviderState | undefined;
  let isThinking = false;
  let isEnded = false;
  let called = 0;
  const endsAtMs = run.now().getTime() + run.limits.callMs;
  const isFull = (): boolean => text.isFull || reasoning.isFull;
  const { model, temperature } = run;
  const asked = { messages, temperature, signal, ...(tools.length > 0 && { tools }) };
  try {
    for await (const part of model.stream(asked)) {
      if (part.type === 'finish') {
        ({ reason, usage, state } = part);
        continue;
      }
      if (part.type === 'reasoning') {
        // Reasoning after the first text has no place in the order of packets.
        if (text.text !== '' || calls.length > 0) continue;
        if (!isThinking) yield place.at({ type: 'reasoning_start' });
        isThinking = true;
        run.modelReasons = true;
        yield place.at({ type: 'reasoning_delta', reasoning: reasoning.take(part.text) });
      } else {
        const said = part.type === 'text' ? text.take(startOfText(text.text, part.text)) : '';
        if (part.type === 'text' && said === '' && !text.isFull) continue;
        if (isThinking) yield* endThinking(place);
        isThinking = false;
        if (part.type === 'tool-call' && (called += 1) <= MAX_CALLS) calls.push(part.call);
        else if (said !== '') yield* show(said);
      }
      isEnded =
        called === 0 ? isFull() || run.now().getTime() >= endsAtMs : called >= RUNAWAY_CALLS;
      if (isEnded) break;
    }
  } finally {
    run.budget.spend(tokensOf(usage, messages, text.text + reasoning.text));
  }
  if (isThinking) yield* endThinking(place);
  const said = { text: text.text, reasoning: reasoning.text || null };
  return { ...said, calls, state, reason, isOver: isEnded };
}

function inputTokens(model: ChatModel, { tools = [], maxTextTokens }: ModelQuestion): number {
  const output = Math.min(maxTextTokens, Math.floor(model.contextTokens / 4));
  return model.contextTokens - output - countTokens(JSON.stringify(tools));
}

function startOfText(soFar: string, piece: string): string {
  return soFar === '' ? piece.trimStart() : piece;
}

function* endThinking(place: Place): Generator<Packet> {
  yield place.at({ type: 'reasoning_done' });
  place.advance();
}

/** As reported by the provider, or estimated. */
function tokensOf(
  usage: ModelUsage | null,
  messages: readonly ChatModelMessage[],
  said: string,
): number {
  if (usage !== null) return usage.inputTokens + usage.outputTokens;
  return messages.reduce((sum, { content }) => sum + countTokens(content), countTokens(said));
}
