/** `fetch` whose answers fail when they grow beyond `maxBytes`: a server that never ends a line would fill the memory. */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  maxBytes: number,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let room = maxBytes;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          room -= chunk.byteLength;
          if (room >= 0) controller.enqueue(chunk);
          else controller.error(new Error(`the answer is larger than ${maxBytes} bytes`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}
