import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import { normalize } from '#src/platform/vector.ts';

import { countTokens } from './count-tokens.ts';
import { type Embedder, EmbedderFault } from './embed.ts';
import { errorMessageOf, parseEmbeddings } from './embedding-answer.ts';

const DENSE_WEIGHT = 0.5;
const MAX_BATCH_INPUTS = 256;
const MAX_BATCH_TOKENS = 100_000;
const MAX_IN_FLIGHT = 4;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_DELAY_MS = 2_000;
const MAX_DELAY_MS = 5 * 60_000;
/** 256 vectors of 4,096 floats in decimal are about 20 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** One request for base64, one for floats, and one that asks for the dimensions. */
const MAX_REQUESTS_PER_BATCH = 3;

export interface OpenAiEmbedderOptions {
  /** Without the trailing `/embeddings`, for example `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  dimensions: number;
  fetch: typeof globalThis.fetch;
  /** Per request. */
  timeoutMs?: number;
}

/** The request format that this endpoint accepts, learned from its answers. */
interface RequestShape {
  isBase64: boolean;
  /** Only some models can shorten their vectors, and other endpoints reject the parameter. */
  asksDimensions: boolean;
}

interface Answer {
  status: number;
  retryAfter: string | null;
  body: string;
}

/**
 * Embeds through any OpenAI-compatible `/embeddings` endpoint. 408, 429, 5xx and network failures throw `RetryLater`
 * (after `Retry-After`, by default 2 s, at most 5 min); other errors and unusable answers throw `GiveUp`.
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const client = new EmbeddingsClient(options);
  return {
    model: options.model,
    dimensions: options.dimensions,
    denseWeight: DENSE_WEIGHT,
    noiseFloor: 0,
    embedDocuments: (texts, signal) => embedAll(client, texts, signal),
    async embedQuery(text, _idf, signal) {
      const [vector] = await client.embedBatch([text], signal);
      if (vector === undefined) throw new GiveUp('The embedding endpoint returned no vector.');
      return vector;
    },
    async close() {},
  };
}

async function embedAll(
  client: EmbeddingsClient,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const batches = batchesOf(texts);
  const vectors: Float32Array[][] = [];
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  let next = 0;
  const drain = async () => {
    while (next < batches.length) {
      const index = next;
      next += 1;
      vectors[index] = await client.embedBatch(batches[index] ?? [], either);
    }
  };
  const lanes = Array.from({ length: Math.min(MAX_IN_FLIGHT, batches.length) }, drain);
  try {
    await Promise.all(lanes);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(lanes);
    throw error;
  }
  return vectors.flat();
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let tokens = Infinity;
  for (const text of texts) {
    const cost = countTokens(text);
    const open = batches.at(-1);
    const isFull = open === undefined || open.length === MAX_BATCH_INPUTS;
    if (isFull || tokens + cost > MAX_BATCH_TOKENS) {
      batches.push([text]);
      tokens = cost;
    } else {
      open.push(text);
      tokens += cost;
    }
  }
  return batches;
}

class EmbeddingsClient {
  readonly #options: OpenAiEmbedderOptions;
  readonly #url: string;
  readonly #source: string;
  readonly #shape: RequestShape = { isBase64: true, asksDimensions: false };

  constructor(options: OpenAiEmbedderOptions) {
    this.#options = options;
    this.#url = `${options.baseUrl.replace(/\/+$/, '')}/embeddings`;
    // Callers see these messages next to their documents, so they must not reveal the operator's URL.
    this.#source = 'The embedding endpoint (EMBEDDING_BASE_URL)';
  }

  async embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    for (let request = 1; request <= MAX_REQUESTS_PER_BATCH; request += 1) {
      // A copy: concurrent requests learn independently.
      const shape = { ...this.#shape };
      const answer = await this.#post(texts, shape, signal);
      if (this.#refusesBase64(answer, shape)) continue;
      this.#throwOnRefusal(answer);
      const vectors = parseEmbeddings(answer.body, texts.length, this.#source);
      const wrong = vectors.find((vector) => vector.length !== this.#options.dimensions);
      if (wrong === undefined) return vectors.map(normalize);
      if (shape.asksDimensions) throw this.#wrongDimensions(wrong.length);
      this.#shape.asksDimensions = true;
    }
    throw new GiveUp(`${this.#source} refused every form of the request.`);
  }

  async #post(texts: readonly string[], shape: RequestShape, signal: AbortSignal): Promise<Answer> {
    const { apiKey, model, dimensions, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#options.fetch(this.#url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({
          model,
          // Providers reject an empty input.
          input: texts.map((text) => (text === '' ? ' ' : text)),
          ...(shape.isBase64 ? { encoding_format: 'base64' } : {}),
          ...(shape.asksDimensions ? { dimensions } : {}),
        }),
        signal: AbortSignal.any([signal, timeout]),
      });
      const body = await readCapped(response, this.#source);
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GiveUp) throw error;
      const reason = timeout.aborted
        ? `did not answer within ${timeoutMs / 1000} s`
        : `cannot be reached: ${reasonOf(error)}`;
      throw new RetryLater(DEFAULT_DELAY_MS, `${this.#source} ${reason}.`, { cause: error });
    }
  }

  #refusesBase64({ status, body }: Answer, shape: RequestShape): boolean {
    const isRefused =
      (status === 400 || status === 422) && shape.isBase64 && /encoding_format|base64/i.test(body);
    if (isRefused) this.#shape.isBase64 = false;
    return isRefused;
  }

  #throwOnRefusal({ status, retryAfter, body }: Answer): void {
    if (status >= 200 && status < 300) return;
    const reason = `${this.#source} answered ${status}: ${this.#redacted(errorMessageOf(body))}`;
    if (status === 408 || status === 429 || status >= 500) {
      const askedMs = retryAfterMs(retryAfter, Date.now());
      // A 500 without a retry time may be caused by one of the texts, which must not be retried forever.
      if (status === 500 && askedMs === null) throw new EmbedderFault(reason);
      throw new RetryLater(Math.min(askedMs ?? DEFAULT_DELAY_MS, MAX_DELAY_MS), reason);
    }
    if (status < 400)
      throw new GiveUp(`${this.#source} redirects; set EMBEDDING_BASE_URL to the target.`);
    throw new GiveUp(reason);
  }

  #wrongDimensions(actual: number): GiveUp {
    const { model, dimensions } = this.#options;
    return new GiveUp(
      `${this.#source} returns ${actual} dimensions for the model ${model}, but EMBEDDING_DIMENSIONS is ` +
        `${dimensions}; set it to ${actual} and re-embed the documents.`,
    );
  }

  /** Some providers quote the rejected key. */
  #redacted(text: string): string {
    const { apiKey } = this.#options;
    return apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '[key]');
  }
}

async function readCapped(response: Response, source: string): Promise<string> {
  if (response.body === null) return '';
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  for await (const part of response.body) {
    byteCount += part.length;
    if (byteCount > MAX_ANSWER_BYTES) {
      throw new GiveUp(`${source} answered more than ${MAX_ANSWER_BYTES} bytes.`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Only the code: the message of a connection error contains the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'connection lost';
}
