import type { ChatServices } from '#src/chat/chat-services.ts';

/** An OpenAI-compatible images endpoint. */
export interface ImageProvider {
  /** Everything before `/images/generations`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

/** Null without IMAGE_MODEL. The language model's key is only sent to the language model's URL. */
export function imageProviderOf({ config }: Pick<ChatServices, 'config'>): ImageProvider | null {
  const baseUrl = config.IMAGE_BASE_URL ?? config.LLM_BASE_URL;
  if (config.IMAGE_MODEL === undefined || baseUrl === undefined) return null;
  const sharedKey = config.IMAGE_BASE_URL === undefined ? config.LLM_API_KEY : undefined;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey: config.IMAGE_API_KEY ?? sharedKey ?? null,
    model: config.IMAGE_MODEL,
  };
}
