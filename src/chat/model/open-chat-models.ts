import { type Config, ConfigError } from '#src/platform/config.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatModel } from './chat-model.ts';
import type { ChatModels } from './chat-models.ts';
import { createChatModel } from './llm.ts';
import { nameModels } from './name-models.ts';

export type ChatModelConfig = Pick<
  Config,
  | 'LLM_BASE_URL'
  | 'LLM_API_KEY'
  | 'LLM_MODEL'
  | 'LLM_PROVIDERS'
  | 'LLM_CONTEXT_TOKENS'
  | 'LLM_TOOL_CALLS'
  | 'LLM_VISION_MODEL'
  | 'CHAT_MODELS'
>;

/** The provider name of `LLM_BASE_URL` in requests. */
const DEFAULT_PROVIDER = 'openai-compatible';

/** A provider with its models, the default one first. */
interface Provider {
  name: string;
  models: ChatModel[];
  /** A model that requests cannot choose. */
  createModel(name: string, facts: Pick<ChatModel, 'readsImages'>): ChatModel;
}

/**
 * Creates the models of the settings. No request is made yet.
 * @throws ConfigError that says which setting is wrong
 */
export function openChatModels(
  config: ChatModelConfig,
  fetch: typeof globalThis.fetch,
): ChatModels {
  const vision = findVisionModel(config);
  const providers = openProviders(config, fetch, vision);
  const all = providers.flatMap(({ models }) => models);
  const visionModel =
    vision === null
      ? null
      : (all.find((model) => isNamed(model, vision)) ??
        providerNamed(providers, vision.provider)?.createModel(vision.name, { readsImages: true }));
  return {
    default: all[0] ?? null,
    vision: visionModel ?? all.find(({ readsImages }) => readsImages) ?? null,
    all,
    named: nameModels(config.CHAT_MODELS ?? null, all),
    choose: (override) => chooseModel(providers, override),
  };
}

interface ModelName {
  provider: string;
  name: string;
}

function openProviders(
  config: ChatModelConfig,
  fetch: typeof globalThis.fetch,
  vision: ModelName | null,
): Provider[] {
  const { LLM_BASE_URL: baseUrl, LLM_MODEL: models } = config;
  if (baseUrl === undefined || models === undefined) return [];
  const first = {
    name: DEFAULT_PROVIDER,
    base_url: baseUrl,
    api_key: config.LLM_API_KEY,
    keySetting: 'LLM_API_KEY',
    models,
  };
  const others = config.LLM_PROVIDERS.map((provider) => ({
    ...provider,
    keySetting: `LLM_PROVIDERS: the api_key of "${provider.name}"`,
  }));
  return [first, ...others].map((settings) => {
    const facts: Partial<(typeof others)[number]> = settings;
    const apiKey = readKey(settings.api_key, settings.keySetting);
    const createModel: Provider['createModel'] = (model, { readsImages }) =>
      createChatModel({
        provider: settings.name,
        baseUrl: settings.base_url,
        apiKey,
        model,
        contextTokens: facts.context_tokens ?? config.LLM_CONTEXT_TOKENS,
        callsTools: facts.tool_calls ?? config.LLM_TOOL_CALLS,
        readsImages,
        fetch,
      });
    return {
      name: settings.name,
      createModel,
      models: [...new Set(settings.models)].map((model) =>
        createModel(model, {
          readsImages:
            (facts.vision ?? false) ||
            (vision !== null && isNamed({ provider: settings.name, name: model }, vision)),
        }),
      ),
    };
  });
}

/** The key is sent in a header, which allows only these characters (RFC 9110 §5.5). */
function readKey(key: string | undefined, setting: string): string | null {
  const trimmed = key?.trim() ?? '';
  if (trimmed === '') return null;
  if (/[^\u0020-\u007e]/.test(trimmed))
    throw new ConfigError(`${setting} holds characters that cannot be part of a key.`);
  return trimmed;
}

/** A model of the default provider, or `provider/model`. Model names may contain slashes. */
function findVisionModel(config: ChatModelConfig): ModelName | null {
  const wanted = config.LLM_VISION_MODEL?.trim() ?? '';
  if (wanted === '') return null;
  if (config.LLM_BASE_URL === undefined)
    throw new ConfigError(
      'LLM_VISION_MODEL needs LLM_BASE_URL and LLM_MODEL: it is a model of that provider, or of one in LLM_PROVIDERS.',
    );
  if (config.LLM_MODEL?.includes(wanted)) return { provider: DEFAULT_PROVIDER, name: wanted };
  const provider = [DEFAULT_PROVIDER, ...config.LLM_PROVIDERS.map(({ name }) => name)].find(
    (name) => wanted.toLowerCase().startsWith(`${name.toLowerCase()}/`),
  );
  if (provider === undefined) return { provider: DEFAULT_PROVIDER, name: wanted };
  return { provider, name: wanted.slice(provider.length + 1) };
}

function chooseModel(
  providers: readonly Provider[],
  override: Parameters<ChatModels['choose']>[0],
): ChatModel | null {
  const providerName = override?.model_provider?.trim() ?? '';
  const version = override?.model_version?.trim() ?? '';
  const first = providers[0];
  if (providerName === '' && version === '') return first?.models[0] ?? null;
  const field = providerName === '' ? 'model_version' : 'model_provider';
  if (!first)
    throw new Problem(
      'BAD_REQUEST',
      `llm_override.${field}: no language model is configured here, answers are extractive. Leave model_provider and model_version out.`,
    );
  const provider = providerName === '' ? first : providerNamed(providers, providerName);
  if (!provider)
    throw new Problem(
      'BAD_REQUEST',
      `llm_override.model_provider: there is no provider "${shown(providerName)}". Configured are ${listed(providers)}.`,
    );
  const model = version === '' ? provider.models[0] : findModel(provider, version);
  if (!model)
    throw new Problem(
      'BAD_REQUEST',
      `llm_override.model_version: the provider "${provider.name}" has no model "${shown(version)}". It has ${listed(provider.models)}.`,
    );
  return model;
}

function providerNamed(providers: readonly Provider[], name: string): Provider | undefined {
  return providers.find((provider) => provider.name.toLowerCase() === name.toLowerCase());
}

function findModel({ models }: Provider, name: string): ChatModel | undefined {
  return models.find((model) => model.name === name);
}

function isNamed(model: ModelName, wanted: ModelName): boolean {
  return (
    model.provider.toLowerCase() === wanted.provider.toLowerCase() && model.name === wanted.name
  );
}

function listed(things: readonly { name: string }[]): string {
  return things.map(({ name }) => `"${name}"`).join(', ');
}

function shown(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
