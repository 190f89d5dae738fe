import { z } from 'zod';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { type ImageFacts, readImage } from '#src/files/read-image.ts';
import { startDeadline } from '#src/platform/deadline.ts';
import { GiveUp } from '#src/platform/errors.ts';
import { explainOutboundFailure } from '#src/platform/explain-outbound-failure.ts';
import { OutboundError } from '#src/platform/http.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { explainRefusal, parseJson, wordsOfRefusal } from './image-failure.ts';
import type { ImageProvider } from './image-provider.ts';
import { type ImageShape, imageSizeOf } from './image-size.ts';

export type ImageServices = Pick<ChatServices, 'operatorFetch' | 'http'>;

export interface MadeImage {
  bytes: Buffer;
  /** Detected from its content. */
  mediaType: ImageFacts['mediaType'];
  /** The provider's revision of the prompt; null when it does not say. */
  revisedPrompt: string | null;
}

const TIMEOUT_MS = 120_000;
/** Limit of a response: an image of 20 MB in base64. */
const MAX_ANSWER_BYTES = 28_000_000;
const MAX_IMAGE_BYTES = 20_000_000;

const answerSchema = z.object({
  data: z
    .array(
      z.object({
        b64_json: z.string().nullish(),
        url: z.string().nullish(),
        revised_prompt: z.string().nullish().catch(null),
      }),
    )
    .min(1),
});

/**
 * Requests one image from an OpenAI-compatible endpoint (https://platform.openai.com/docs/api-reference/images/create).
 * @throws ToolFailed with the provider's message, the signal's reason when aborted
 */
export async function requestImage(
  services: ImageServices,
  provider: ImageProvider,
  order: { prompt: string; shape: ImageShape; signal: AbortSignal; timeoutMs?: number },
): Promise<MadeImage> {
  const { signal, timeoutMs = TIMEOUT_MS } = order;
  using deadline = startDeadline(signal, timeoutMs);
  try {
    const body = {
      model: provider.model,
      prompt: order.prompt,
      size: imageSizeOf(provider.model, order.shape),
      n: 1,
    };
    const text = await askProvider(services, provider, body, deadline.signal);
    return await readAnswer(services, provider, text, deadline.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailed) throw error;
    if (error instanceof GiveUp) throw new ToolFailed(error.message, { cause: error });
    if (deadline.expired) {
      const within = `within ${timeoutMs / 1_000} s`;
      throw new ToolFailed(`The image model ${provider.model} made no image ${within}.`);
    }
    throw unreached(provider, error);
  }
}

/** Some models always send bytes and reject a request for them; others send a link unless asked. */
async function askProvider(
  services: ImageServices,
  provider: ImageProvider,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<string> {
  const asked = provider.model.startsWith('gpt-image')
    ? body
    : { ...body, response_format: 'b64_json' };
  const answer = await post(services, provider, asked, signal);
  if (answer.status === 200) return answer.text;
  const words = wordsOfRefusal(answer.text);
  const isAboutFormat = answer.status === 400 && words.includes('response_format');
  if (!isAboutFormat || asked === body) throw explainRefusal(provider, answer.status, words);
  const again = await post(services, provider, body, signal);
  if (again.status === 200) return again.text;
  throw explainRefusal(provider, again.status, wordsOfRefusal(again.text));
}

async function post(
  { operatorFetch }: ImageServices,
  { baseUrl, apiKey }: ImageProvider,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const response = await operatorFetch(`${baseUrl}/images/generations`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal,
  });
  const bytes = await readBounded(response, MAX_ANSWER_BYTES);
  return { status: response.status, text: bytes.toString('utf8') };
}

async function readAnswer(
  services: ImageServices,
  provider: ImageProvider,
  text: string,
  signal: AbortSignal,
): Promise<MadeImage> {
  const answer = answerSchema.safeParse(parseJson(text));
  const image = answer.success ? answer.data.data[0] : undefined;
  const revisedPrompt = image?.revised_prompt || null;
  const encoded = image?.b64_json || /^data:[^,]{0,100};base64,([^]*)$/.exec(image?.url ?? '')?.[1];
  const bytes = encoded
    ? Buffer.from(encoded, 'base64')
    : image?.url
      ? await fetchImage(services, provider, image.url, signal)
      : null;
  const facts = bytes && readImage({ name: `The answer of ${provider.model}`, bytes });
  if (!bytes || !facts) {
    throw new ToolFailed(
      `The image model ${provider.model} answered with something that is no image.`,
    );
  }
  return { bytes, mediaType: facts.mediaType, revisedPrompt };
}

/** The provider's own URLs are trusted like the operator's; any other is fetched like a stranger's. */
async function fetchImage(
  { operatorFetch, http }: ImageServices,
  { baseUrl }: ImageProvider,
  link: string,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const url = URL.parse(link, `${baseUrl}/`);
  if (url?.origin === new URL(baseUrl).origin) {
    const response = await operatorFetch(url, { redirect: 'error', signal });
    return response.status === 200 ? await readBounded(response, MAX_IMAGE_BYTES) : null;
  }
  const options = { url: link, signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_IMAGE_BYTES };
  const response = await http.send(options);
  return response.status === 200 ? response.bytes : null;
}

async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  for await (const part of response.body ?? []) {
    byteCount += part.length;
    if (byteCount > maxBytes) {
      throw new ToolFailed(`The image model sent more than ${maxBytes / 1_000_000} MB.`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function unreached({ baseUrl, model }: ImageProvider, cause: unknown): ToolFailed {
  const failure =
    cause instanceof OutboundError
      ? cause
      : explainOutboundFailure(cause, new URL(baseUrl).hostname);
  // Without a code, the message is the library's, which may quote a header.
  const reason = failure.code === '' && failure !== cause ? '' : ` ${failure.message}`;
  return new ToolFailed(`The image model ${model} could not be reached.${reason}`);
}
