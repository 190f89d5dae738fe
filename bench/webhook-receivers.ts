import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiverPorts, ReceiverReport } from './webhook-receiver-process.ts';

/** Several, so that the client's limit of connections to one origin is not what is measured. */
const RECEIVERS = 4;
const ANSWER_TIMEOUT_MS = 20_000;

/** Webhook receivers in a process of their own, as in life. */
export interface WebhookReceivers extends AsyncDisposable {
  readonly origins: readonly string[];
  readonly blackHoleUrl: string;
  /** What came since the last time. */
  take(): Promise<ReceiverReport>;
}

export async function startWebhookReceivers(): Promise<WebhookReceivers> {
  const entry = fileURLToPath(new URL('./webhook-receiver-process.ts', import.meta.url));
  const child = fork(entry, [String(RECEIVERS)], { serialization: 'advanced' });
  try {
    // Both sides of the channel are ours.
    const { ports, blackHolePort } = (await nextMessage(child)) as ReceiverPorts;
    return {
      origins: ports.map((port) => `http://127.0.0.1:${port}`),
      blackHoleUrl: `http://127.0.0.1:${blackHolePort}/webhook`,
      async take() {
        const answer = nextMessage(child);
        child.send('take');
        return (await answer) as ReceiverReport;
      },
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
