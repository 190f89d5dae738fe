import { countTokens } from '#src/documents/count-tokens.ts';
import { askModel, type ModelStep, type ModelStepInput } from './ask-model.ts';
import type { ModelTool } from '#src/chat/model/chat-model.ts';
import { fitMessages } from '#src/chat/prompt/fit-messages.ts';
import { ModelFailed } from '#src/chat/model/model-failed.ts';
import type { Packet } from '#src/chat/wire/packets.ts';

/**
 * Calls the model with as much as fits. Tokens are estimated: if the provider counts more than the model accepts, it is
 * called once more with half.
 * @param budgetTokens for messages and tools together
 */
export async function* askWithin(
  asked: ModelStepInput,
  budgetTokens: number,
): AsyncGenerator<Packet, ModelStep> {
  const room = budgetTokens - schemaTokens(asked.request.tools ?? []);
  const fitted = (tokens: number): ModelStepInput => {
    const messages = fitMessages(asked.request.messages, Math.max(1, tokens));
    return { ...asked, request: { ...asked.request, messages } };
  };
  let isShown = false;
  try {
    const run = askModel(fitted(room));
    for (;;) {
      const next = await run.next();
      if (next.done === true) return next.value;
      isShown = true;
      yield next.value;
    }
  } catch (error) {
    const isTooLong = error instanceof ModelFailed && error.errorCode === 'CONTEXT_TOO_LONG';
    if (!isTooLong || isShown) throw error;
  }
  return yield* askModel(fitted(Math.floor(room / 2)));
}

/** The share of the context that the descriptions of the tools take. */
function schemaTokens(tools: readonly ModelTool[]): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + countTokens(name + description + JSON.stringify(parameters)),
    0,
  );
}
