import { normalizeChunk, type SeenCalls } from './normalize-chunk.ts';

const LINE_END = /\r\n|\n|\r/;
const STOP = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

/**
 * `fetch` for event streams in various dialects: each chunk is converted to the format that the provider library reads.
 * A non-empty answer that ends with `[DONE]` but no finish reason is given one.
 */
export function normalizingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null || !response.ok) return response;
    const { status, statusText, headers } = response;
    const normalized = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(normalizeLines())
      .pipeThrough(new TextEncoderStream());
    return new Response(normalized, { status, statusText, headers });
  };
}

function normalizeLines(): TransformStream<string, string> {
  const events = new Events();
  // Pieces of an unfinished line: each is searched once, and all are joined at its end.
  let pending: string[] = [];
  return new TransformStream({
    transform(text, controller) {
      const lines = text.split(LINE_END);
      const rest = lines.pop() ?? '';
      let out = '';
      for (const line of lines) {
        pending.push(line);
        out += `${events.normalize(pending.join(''))}\n`;
        pending = [];
      }
      if (rest !== '') pending.push(rest);
      if (out !== '') controller.enqueue(out);
    },
    flush(controller) {
      if (pending.length > 0) controller.enqueue(events.normalize(pending.join('')));
    },
  });
}

/** What the events of one answer have contained so far. */
class Events {
  readonly #calls: SeenCalls = { ids: new Map() };
  #hasOutput = false;
  #isFinished = false;

  normalize(line: string): string {
    if (!line.startsWith('data:')) return line;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') return this.#hasOutput && !this.#isFinished ? STOP + line : line;
    const chunk = parseJson(data);
    if (chunk === undefined) return line;
    const { normalized, hasOutput, isFinished } = normalizeChunk(chunk, this.#calls);
    this.#hasOutput ||= hasOutput;
    this.#isFinished ||= isFinished;
    return normalized === null ? line : `data: ${JSON.stringify(normalized)}`;
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
