import type { ChatModel } from '#src/chat/model/chat-model.ts';
import { type ModelErrorCode, ModelFailed } from '#src/chat/model/model-failed.ts';

const EMPTY = 'ended without an answer. Ask again, or ask in other words.';
const THOUGHT_ONLY =
  'ended without an answer: it had used up its limit on length before. Ask for less, or choose another model.';

export function emptyAnswer(model: ChatModel, finishReason: string): ModelFailed {
  return failed(model, finishReason, {
    errorCode: 'EMPTY_LLM_RESPONSE',
    says: finishReason === 'length' ? THOUGHT_ONLY : EMPTY,
  });
}

/** Text before the provider's filter stopped it does not count as an answer. */
export function withheld(model: ChatModel): ModelFailed {
  return failed(model, 'content-filter', {
    errorCode: 'CONTENT_POLICY',
    says: 'ended without a whole answer: the provider’s content filter stopped it.',
  });
}

function failed(
  model: ChatModel,
  finishReason: string,
  { errorCode, says }: { errorCode: ModelErrorCode; says: string },
): ModelFailed {
  const { name, provider } = model;
  return new ModelFailed(`The language model ${name} ${says}`, {
    errorCode,
    details: { model: name, provider, finish_reason: finishReason },
  });
}
