import { z } from 'zod';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import type { ImageProvider } from './image-provider.ts';

const MAX_WORDS = 300;

/** The usual shape of an error, and variants. */
const refusalSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** A provider's reason for its refusal; empty when it cannot be read. */
export function wordsOfRefusal(text: string): string {
  const refusal = refusalSchema.safeParse(parseJson(text));
  const words = refusal.success ? refusal.data : text.trim().startsWith('<') ? '' : text;
  return words.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

export function explainRefusal(
  provider: Pick<ImageProvider, 'model' | 'apiKey'>,
  status: number,
  words: string,
): ToolFailed {
  const said = words === '' ? '' : ` It said: ${masked(words, provider.apiKey)}`;
  return new ToolFailed(`The image model ${provider.model} ${meaningOf(status)}${said}`);
}

/** Masks a key, whole or shortened, wherever a provider repeats it. */
function masked(words: string, apiKey: string | null): string {
  const whole = apiKey === null || apiKey === '' ? words : words.replaceAll(apiKey, '***');
  return whole
    .replace(/\b(?:sk|key)-[\w*.-]{4,}/gi, '***')
    .slice(0, MAX_WORDS)
    .toWellFormed();
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403) {
    return `does not take the service's key (${status}): the operator should check IMAGE_API_KEY.`;
  }
  if (status === 404) {
    return 'was not found (404): the operator should check IMAGE_MODEL and IMAGE_BASE_URL.';
  }
  if (status === 429) return 'is asked too often (429). Try again in a while.';
  if (status >= 500) return `failed (${status}). Try again in a while.`;
  if (status >= 300 && status < 400) {
    return `redirects (${status}): the operator should set IMAGE_BASE_URL to where.`;
  }
  return `refused the request (${status}).`;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
