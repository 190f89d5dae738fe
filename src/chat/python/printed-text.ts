import type { PythonText } from './python-job.ts';

/** A loop that prints produces thousands of tiny pieces a second; ten are enough for a reader. */
const GATHER_MS = 100;

/** Printed text that has not been read yet. */
export interface PrintedText {
  add(stream: PythonText['stream'], bytes: Uint8Array): void;
  /** No more text will come. */
  close(): void;
  /** Pieces as they come, until closed; output of one stream between two reads is one piece. */
  take(): AsyncGenerator<PythonText>;
}

/** Decodes characters across chunk boundaries; invalid UTF-8, and NUL, which databases reject, become U+FFFD. */
export function createPrintedText(): PrintedText {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let waiting: PythonText[] = [];
  const closed = createLatch();
  let wake = Promise.withResolvers<void>();
  const push = (stream: PythonText['stream'], decoded: string): void => {
    if (decoded === '') return;
    const text = decoded.replaceAll('\0', '\uFFFD');
    const last = waiting.at(-1);
    if (last?.stream === stream) last.text += text;
    else waiting.push({ stream, text });
    wake.resolve();
  };
  return {
    add(stream, bytes) {
      push(stream, decoders[stream].decode(bytes, { stream: true }));
    },
    close() {
      for (const stream of ['stdout', 'stderr'] as const) push(stream, decoders[stream].decode());
      closed.set();
      wake.resolve();
    },
    async *take() {
      for (;;) {
        await wake.promise;
        const pieces = waiting;
        waiting = [];
        if (!closed.isSet) wake = Promise.withResolvers<void>();
        yield* pieces;
        if (closed.isSet && waiting.length === 0) return;
        await closed.within(GATHER_MS);
      }
    },
  };
}

/** An event that occurs once and can be awaited. */
function createLatch(): { isSet: boolean; set(): void; within(ms: number): Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    isSet: false,
    set() {
      this.isSet = true;
      resolve();
    },
    async within(ms) {
      const elapsed = Promise.withResolvers<void>();
      const timer = setTimeout(() => elapsed.resolve(), ms);
      await Promise.race([promise, elapsed.promise]);
      clearTimeout(timer);
    },
  };
}
