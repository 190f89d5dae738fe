/** The event that ends a stream, at the beginning of a line: JSON contains no raw line breaks. */
const DONE = /[\r\n]data: ?\[DONE\]/;
const DONE_LENGTH = 13;

/**
 * `fetch` for event streams. A response ends at `[DONE]` even if the server keeps the connection open, and fails when
 * it exceeds `maxBytes`: an endless line would fill the memory.
 */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  maxBytes: number,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const bounded = response.body.pipeThrough(untilDone(maxBytes));
    return new Response(bounded, { status, statusText, headers });
  };
}

function untilDone(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let room = maxBytes;
  let tail = '\n';
  return new TransformStream({
    transform(chunk, controller) {
      room -= chunk.byteLength;
      if (room < 0) {
        controller.error(new Error(`the answer is larger than ${maxBytes} bytes`));
        return;
      }
      controller.enqueue(chunk);
      const text =
        tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
      if (DONE.test(text)) controller.terminate();
      tail = text.slice(-DONE_LENGTH);
    },
  });
}
