import { ConfigError } from '#src/platform/config.ts';
import type { ChatModel } from './chat-model.ts';

const MAX_NAMES = 3;
/** The only identifier when no model is configured. */
const EXTRACTIVE = 'extractive';

/**
 * The values of `model` in the reference family, the default first.
 * @param entries `CHAT_MODELS`: `name`, or `name=model`, or `name=provider/model`; null takes the first models
 * @param models all configured models; without any, every bare name answers extractively
 * @throws ConfigError for an entry that names no configured model, and for a duplicate name
 */
export function nameModels(
  entries: readonly string[] | null,
  models: readonly ChatModel[],
): ReadonlyMap<string, ChatModel | null> {
  if (entries === null) return firstModels(models);
  const named = new Map<string, ChatModel | null>();
  for (const entry of entries) {
    const [name = '', reference = name] = split(entry);
    if (named.has(name)) throw new ConfigError(`CHAT_MODELS names "${name}" twice.`);
    const isBare = name === entry;
    const model = models.length === 0 && isBare ? null : findModel(models, reference);
    if (model === undefined || name === '') throw unknownModel(entry, models);
    named.set(name, model);
  }
  return named;
}

function firstModels(models: readonly ChatModel[]): Map<string, ChatModel | null> {
  if (models.length === 0) return new Map([[EXTRACTIVE, null]]);
  const named = new Map<string, ChatModel | null>();
  for (const model of models.slice(0, MAX_NAMES)) {
    // Two providers may have a model of the same name.
    named.set(named.has(model.name) ? fullName(model) : model.name, model);
  }
  return named;
}

function split(entry: string): string[] {
  const at = entry.indexOf('=');
  return at === -1 ? [entry] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
}

function findModel(models: readonly ChatModel[], reference: string): ChatModel | undefined {
  const wanted = reference.toLowerCase();
  return (
    models.find(({ name }) => name === reference) ??
    models.find((model) => fullName(model).toLowerCase() === wanted)
  );
}

function fullName({ provider, name }: ChatModel): string {
  return `${provider}/${name}`;
}

function unknownModel(entry: string, models: readonly ChatModel[]): ConfigError {
  const configured =
    models.length === 0
      ? 'no language model is: set LLM_BASE_URL and LLM_MODEL'
      : models.map(fullName).join(', ');
  return new ConfigError(
    `CHAT_MODELS: "${entry}" is no model that is configured (${configured}). Write name=provider/model, or the name of a model.`,
  );
}
