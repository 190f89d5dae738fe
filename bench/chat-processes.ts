import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ModelReport, ModelStarted } from './chat-model-process.ts';
import { processUsage } from './process-usage.ts';

const ANSWER_TIMEOUT_MS = 20_000;

/** A server of the chat bench, in its own process. */
export interface ChatProcess extends AsyncDisposable {
  readonly url: string;
  /** So far; NaN without /proc. */
  cpuSeconds(): Promise<number>;
}

export interface ChatModelProcess extends ChatProcess {
  report(): Promise<ModelReport>;
}

export async function startChatModel(): Promise<ChatModelProcess> {
  const entry = fileURLToPath(new URL('./chat-model-process.ts', import.meta.url));
  const { child, ...started } = await start(entry, []);
  return {
    ...started,
    url: `${started.url}/v1`,
    async report() {
      const answer = nextMessage(child);
      child.send('report');
      return (await answer) as ModelReport; // we own both ends of the channel
    },
  };
}

/** A bare proxy of the model. */
export function startChatProxy(modelUrl: string): Promise<ChatProcess> {
  return start(fileURLToPath(new URL('./chat-proxy-process.ts', import.meta.url)), [modelUrl]);
}

async function start(
  entry: string,
  words: string[],
): Promise<ChatProcess & { child: ChildProcess }> {
  const child = fork(entry, words);
  try {
    const { port } = (await nextMessage(child)) as ModelStarted; // we own both ends of the channel
    return {
      child,
      url: `http://127.0.0.1:${port}`,
      cpuSeconds: async () => (await processUsage(child.pid ?? 0)).cpuSeconds,
      [Symbol.asyncDispose]: () => stop(child),
    };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const [message]: unknown[] = await once(child, 'message', { signal });
  return message;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
