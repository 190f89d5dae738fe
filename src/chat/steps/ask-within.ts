import { countTokens } from '#src/documents/count-tokens.ts';
import { askModel, type ModelStep, type ModelStepInput } from './ask-model.ts';
import type { ModelTool } from '#src/chat/model/chat-model.ts';
import { fitMessages } from '#src/chat/prompt/fit-messages.ts';
import { ModelFailed } from '#src/chat/model/model-failed.ts';
import type { Packet } from '#src/chat/wire/packets.ts';

/**
 * Asks with as much as fits. Tokens are estimated: where the provider counts more than the model can take, it is asked
 * once more with half.
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

/** What the descriptions of the tools take of the context. */
function schemaTokens(tools: readonly ModelTool[]): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + countTokens(name + description + JSON.stringify(parameters)),
    0,
  );
}
