import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FeederGrant, FeederReport, FeederTask } from './feeder-process.ts';

/** A client that pushes documents from a process of its own, so that making them does not hold up what is timed here. */
export interface Feeder extends AsyncDisposable {
  readonly pid: number;
  /** Documents that it may push so far, and how many of them were acknowledged. */
  readonly granted: number;
  readonly accepted: number;
  grant(documents: number): void;
  /** @throws when it has ended, which it does when a document is refused */
  assertRunning(): void;
}

export function startFeeder(task: FeederTask): Feeder {
  const child = fork(fileURLToPath(new URL('./feeder-process.ts', import.meta.url)));
  let granted = 0;
  let accepted = 0;
  child.on('message', (report) => {
    accepted += (report as FeederReport).documents; // we own both ends of the channel
  });
  child.send(task);
  return {
    pid: child.pid ?? 0,
    get granted() {
      return granted;
    },
    get accepted() {
      return accepted;
    },
    assertRunning() {
      if (hasEnded(child)) throw new Error('The process that pushes documents has ended.');
    },
    grant(documents) {
      granted += documents;
      child.send({ documents } satisfies FeederGrant);
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
