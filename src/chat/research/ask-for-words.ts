import { refusedCalls } from '#src/chat/steps/call-messages.ts';
import type { Packet } from '#src/chat/wire/packets.ts';
import {
  askWithinBudget,
  type ModelQuestion,
  type ModelStep,
  type ResearchRun,
} from './ask-within-budget.ts';
import type { Place } from './place.ts';

/** One call of the model without tools. If it calls one anyway and writes no text, it is told so and asked again. */
export async function* askForWords(
  run: ResearchRun,
  place: Place,
  question: Omit<ModelQuestion, 'tools'>,
): AsyncGenerator<Packet, ModelStep> {
  const step = yield* askWithinBudget(run, place, question);
  if (step.text !== '' || step.calls.length === 0) return step;
  const messages = [...question.messages, ...refusedCalls(step, step.calls)];
  return yield* askWithinBudget(run, place, { ...question, messages });
}
