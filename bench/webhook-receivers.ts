import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiverPorts, ReceiverReport } from './webhook-receiver-process.ts';

/** More than one, so that the bench does not measure the client's connection limit per origin. */
const RECEIVERS = 4;
const ANSWER_TIMEOUT_MS = 20_000;

/** Webhook receivers in their own process, as in production. */
export interface WebhookReceivers extends AsyncDisposable {
  readonly origins: readonly string[];
  readonly blackHoleUrl: string;
  /** What arrived since the last call. */
  take(): Promise<ReceiverReport>;
}

export async function startWebhookReceivers(): Promise<WebhookReceivers> {
  const entry = fileURLToPath(new URL('./webhook-receiver-process.ts', import.meta.url));
  const child = fork(entry, [String(RECEIVERS)], { serialization: 'advanced' });
  try {
    // We own both ends of the channel.
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
