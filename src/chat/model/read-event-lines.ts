const LINE_END = /\r\n|\n|\r/;
/** The event that ends a stream. */
const DONE = /^data: ?\[DONE\]/;
/** An unfinished line that is longer cannot be that event. */
const MAX_DONE_LENGTH = 20;

/**
 * The lines of an event stream, each with `\n` at its end, in groups that arrived together; the last one may be
 * unfinished. A stream ends at `[DONE]` even if the server keeps the connection open.
 */
export async function* readEventLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  // Pieces of an unfinished line: each is searched once, and all are joined at its end.
  let pending: string[] = [];
  let pendingLength = 0;
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split(LINE_END);
    const rest = pieces.pop() ?? '';
    const lines: string[] = [];
    for (const piece of pieces) {
      lines.push(`${pending.join('')}${piece}\n`);
      pending = [];
      pendingLength = 0;
    }
    if (rest !== '') pending.push(rest);
    pendingLength += rest.length;
    if (lines.length > 0) yield lines;
    if (lines.some((line) => DONE.test(line))) return;
    if (pendingLength <= MAX_DONE_LENGTH && DONE.test(pending.join(''))) break;
  }
  const last = pending.join('') + decoder.decode();
  if (last !== '') yield [last];
}

/**
 * The chunks of a body.
 * @throws when they are more than `maxBytes`: an endless line would fill the memory
 */
export async function* boundedChunks(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let room = maxBytes;
  for await (const chunk of body) {
    room -= chunk.byteLength;
    if (room < 0) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}
