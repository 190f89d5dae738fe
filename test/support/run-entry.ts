import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { runEnvironment } from './run-environment.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** A process of the service that may fail to start; disposing kills it. */
export interface EntryRun extends AsyncDisposable {
  /** Its complete output so far. */
  output(): string;
  /** Waits until its output contains these words. @throws when it exits before */
  said(words: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Waits for the exit and the complete output. @returns the exit code, null for a signal */
  ended(): Promise<number | null>;
}

/** Runs `node <entry> <words>` with exactly these settings. */
export function runEntry(
  entry: string,
  settings: Record<string, string>,
  words: string[] = [],
): EntryRun {
  const child = spawn(process.execPath, [resolve(ROOT, entry), ...words], {
    cwd: ROOT,
    env: { ...settings, ...runEnvironment() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let heard = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      heard();
    });
  }
  const closed = once(child, 'close');
  return {
    output: () => output,
    async said(sought) {
      const said = Promise.withResolvers<void>();
      heard = () => {
        if (output.includes(sought)) said.resolve();
      };
      heard();
      await Promise.race([
        said.promise,
        closed.then(() => {
          throw new Error(`The process exited without the output "${sought}":\n${output}`);
        }),
      ]);
    },
    signal: (name) => void child.kill(name),
    async ended() {
      await closed;
      return child.exitCode;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
