import { expect, it } from 'vitest';

import type { ChatModel } from '#src/chat/model/chat-model.ts';
import { presentModels } from '#src/chat/model/present-models.ts';

const model = (provider: string, name: string, readsImages = false): ChatModel => ({
  provider,
  name,
  readsImages,
  contextTokens: 8_000,
  callsTools: true,
  stream: () => {
    throw new Error('Nothing is asked here.');
  },
});

it('without models there are no providers', () => {
  expect(presentModels({ all: [], vision: null })).toEqual([]);
});

it('models are grouped by provider, with the defaults first', () => {
  const seer = model('b', 'seer', true);
  const shown = presentModels({
    all: [model('a', 'small'), model('a', 'large'), seer],
    vision: seer,
  });
  expect(
    shown.map((provider) => [
      provider.id,
      provider.name,
      provider.default_model_name,
      provider.is_default_provider,
      provider.default_vision_model,
      provider.model_configurations.map(({ name }) => name),
    ]),
  ).toEqual([
    [1, 'a', 'small', true, null, ['small', 'large']],
    [2, 'b', 'seer', false, 'seer', ['seer']],
  ]);
});
