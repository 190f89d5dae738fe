/** Aborts a request that is silent for too long, or whose reader is gone. */
export interface IdleWatch extends Disposable {
  /** For the request and everything that waits for it. */
  readonly signal: AbortSignal;
  /** Call on any sign of life. */
  refresh(): void;
}

/** @param signal the caller's own signal */
export function watchIdle(idleTimeoutMs: number, signal: AbortSignal | undefined): IdleWatch {
  const idle = new AbortController();
  const gone = new AbortController();
  const start = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => {
      idle.abort(new DOMException(`nothing for ${idleTimeoutMs / 1000} s`, 'TimeoutError'));
    }, idleTimeoutMs);
  let timer = start();
  return {
    signal: AbortSignal.any([idle.signal, gone.signal, ...(signal === undefined ? [] : [signal])]),
    refresh() {
      clearTimeout(timer);
      timer = start();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      gone.abort();
    },
  };
}

/** The chunks of a body as they arrive. */
export async function* readBody(
  response: Response,
  watch: IdleWatch,
): AsyncGenerator<Uint8Array, void> {
  // Not every platform supports iterating a body.
  const reader = response.body?.getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    watch.refresh();
    yield value;
  }
}
