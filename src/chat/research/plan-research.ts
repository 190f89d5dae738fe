import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import type { Packet, PacketBody } from '#src/chat/wire/packets.ts';
import { askWithinBudget, type ResearchRun } from './ask-within-budget.ts';
import type { Place } from './place.ts';
import { CLARIFY_RULES, PLAN_RULES, withRules } from './prompts.ts';
import { GENERATE_PLAN } from './research-tools.ts';

const MAX_CLARIFICATION_TOKENS = 1_000;
const MAX_PLAN_TOKENS = 2_000;

/** Asks a clarifying question when the model cannot begin; otherwise returns false and shows nothing. */
export async function* clarify(
  run: ResearchRun,
  place: Place,
  messages: readonly ChatModelMessage[],
): AsyncGenerator<Packet, boolean> {
  // Held back: only the end shows whether it is a question or text before the call.
  const pieces: string[] = [];
  const step = yield* askWithinBudget(run, place, {
    messages: withRules(messages, CLARIFY_RULES),
    tools: [GENERATE_PLAN],
    maxTextTokens: MAX_CLARIFICATION_TOKENS,
    signal: run.signal,
    show(text) {
      pieces.push(text);
      return [];
    },
  });
  if (step.calls.length > 0 || pieces.length === 0) return false;
  yield place.at({ type: 'message_start', final_documents: null });
  for (const content of pieces) yield place.at({ type: 'message_delta', content });
  return true;
}

/** Writes the plan; if the model writes none, the question is the plan. */
export async function* writePlan(
  run: ResearchRun,
  place: Place,
  messages: readonly ChatModelMessage[],
  question: string,
): AsyncGenerator<Packet, string> {
  let isStarted = false;
  const show = (content: string): Packet[] => {
    const bodies: PacketBody[] = [{ type: 'deep_research_plan_delta', content }];
    if (!isStarted) bodies.unshift({ type: 'deep_research_plan_start' });
    isStarted = true;
    return bodies.map((body) => place.at(body));
  };
  const step = yield* askWithinBudget(run, place, {
    messages: withRules(messages, PLAN_RULES),
    maxTextTokens: MAX_PLAN_TOKENS,
    signal: run.signal,
    show,
  });
  const fallback = `1. ${question}`;
  if (step.text === '') yield* show(fallback);
  yield place.at({ type: 'section_end' });
  place.advance();
  return step.text || fallback;
}
