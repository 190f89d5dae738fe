import { normalizeChunk, type SeenCalls } from './normalize-chunk.ts';
import { type PlainWords, plainWords } from './plain-words.ts';
import { boundedChunks, readEventLines } from './read-event-lines.ts';

const STOP = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

/** A chunk that contains only words. */
export interface WordsChunk extends PlainWords {
  chunk: unknown;
}

/**
 * The events of one streamed answer. Chunks that contain only words, which most do, are read here: the library checks
 * and copies each chunk, which costs more than everything else that is done with it. The first other chunk and all after
 * it are read by the library, in the format that it expects.
 */
export class AnswerEvents {
  readonly #fetch: typeof globalThis.fetch;
  readonly #maxBytes: number;
  readonly #dialect = new Dialect();
  #groups: AsyncGenerator<string[], void> | null = null;
  /** Lines that have arrived and are the library's. */
  #left: string[] = [];
  readonly #handedOver = Promise.withResolvers<void>();

  constructor(fetch: typeof globalThis.fetch, maxBytes: number) {
    this.#fetch = fetch;
    this.#maxBytes = maxBytes;
  }

  /** For the library: `fetch` whose response holds what `words` leaves. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await this.#fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const chunks = boundedChunks(body, this.#maxBytes);
    if (response.ok) this.#groups = readEventLines(chunks);
    const rest = streamOf(response.ok ? this.#rest() : chunks);
    return new Response(rest, { status, statusText, headers });
  };

  /** The chunks before the first one that contains more than words. */
  async *words(): AsyncGenerator<WordsChunk, void> {
    while (this.#left.length === 0) {
      const step = await this.#groups?.next();
      if (step === undefined || step.done === true) break;
      for (const [index, line] of step.value.entries()) {
        const read = wordsIn(line);
        if (read === 'other') {
          this.#left = step.value.slice(index);
          break;
        }
        if (read === null) continue;
        this.#dialect.hasOutput ||= read.text !== '';
        yield read;
      }
    }
    this.#handedOver.resolve();
  }

  async *#rest(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    await this.#handedOver.promise;
    const encoder = new TextEncoder();
    const encode = (lines: readonly string[]): Uint8Array<ArrayBuffer> =>
      encoder.encode(lines.map((line) => this.#dialect.put(line)).join(''));
    if (this.#left.length > 0) yield encode(this.#left);
    for await (const lines of this.#groups ?? []) yield encode(lines);
  }
}

function streamOf(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const step = await chunks.next();
      if (step.done === true) controller.close();
      else controller.enqueue(step.value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}

/** Null for a line without meaning, such as a comment. */
function wordsIn(line: string): WordsChunk | 'other' | null {
  if (!line.startsWith('data:')) return line.endsWith('\n') ? null : 'other';
  const chunk = parseJson(line.slice('data:'.length));
  const words = line.endsWith('\n') ? plainWords(chunk) : null;
  return words === null ? 'other' : { chunk, ...words };
}

/** Puts the chunks of one answer into the format that the library reads. */
class Dialect {
  readonly #calls: SeenCalls = { ids: new Map() };
  hasOutput = false;
  #isFinished = false;

  /** A non-empty answer that ends with `[DONE]` but no finish reason is given one. */
  put(line: string): string {
    if (!line.startsWith('data:')) return line;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') return this.hasOutput && !this.#isFinished ? STOP + line : line;
    const chunk = parseJson(data);
    if (chunk === undefined) return line;
    const { normalized, hasOutput, isFinished } = normalizeChunk(chunk, this.#calls);
    this.hasOutput ||= hasOutput;
    this.#isFinished ||= isFinished;
    if (normalized === null) return line;
    return `data: ${JSON.stringify(normalized)}${line.endsWith('\n') ? '\n' : ''}`;
  }
}

/** Undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
