import type { ChatModel } from '#src/chat/model/chat-model.ts';
import type { ChatModels } from '#src/chat/model/chat-models.ts';
import { Problem } from '#src/platform/errors.ts';

/** The configured model that `provider/model` or a bare model name refers to; model names may contain slashes. */
export function findModel(models: ChatModels, text: string): ChatModel | null {
  return (
    models.all.find(({ provider, name }) => `${provider}/${name}` === text) ??
    models.all.find(({ name }) => name === text) ??
    null
  );
}

/** @throws Problem BAD_REQUEST that lists what is configured */
export function assertConfigured(models: ChatModels, text: string): void {
  if (findModel(models, text) !== null) return;
  const names = models.all.map(({ provider, name }) => `${provider}/${name}`).join(', ');
  throw new Problem(
    'BAD_REQUEST',
    names === ''
      ? 'body.new_alternate_model: no language model is configured here: answers are extractive.'
      : `body.new_alternate_model: is not among the configured models: ${names}.`,
  );
}
