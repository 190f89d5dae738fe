import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { messageOf } from './message-of.ts';
import type { ChildAnswer } from './guarded-child.ts';
import type { TaskEntry, TaskLimits } from './guarded-processes.ts';

/** A task that ended its process, or was ended with it. */
export class LostTask extends Error {
  readonly end: 'overtime' | 'memory' | 'ended';

  constructor(end: LostTask['end'], detail: string) {
    super(detail);
    this.end = end;
  }
}

/** A process that does one task at a time. */
export interface GuardedProcess<Task, Outcome> {
  /**
   * A task that fails to answer ends the process.
   * @throws LostTask when the process ends, or the task takes longer than the limits; the signal's reason when aborted
   */
  run(task: Task, signal: AbortSignal): Promise<Outcome>;
  kill(): void;
  /** Resolves when the process has ended, with how. */
  readonly ended: Promise<LostTask>;
}

const CHILD = fileURLToPath(new URL('./guarded-child.ts', import.meta.url));
/** Excludes the service's environment, which holds its secrets. UTC makes results independent of the machine. */
const ENVIRONMENT = { TZ: 'UTC' };
const MAX_ERROR_CHARACTERS = 2_000;
/** Resident memory of a process that does nothing. */
const PROCESS_MB = 128;
/** Exit status of an abort where the system has no signals. */
const ABORTED = 134;

/** Starts a process that may read files and compute, but not write, open connections or start programs. */
export function startGuardedProcess<Task, Outcome>(
  limits: TaskLimits,
  entry: TaskEntry,
): GuardedProcess<Task, Outcome> {
  const child = spawnChild(limits, entry);
  const ended = endOf(child);
  let task: PromiseWithResolvers<ChildAnswer<Outcome>> | null = null;
  child.on('message', (answer: ChildAnswer<Outcome>) => task?.resolve(answer));
  void ended.then((end) => task?.reject(end));
  const kill = (): void => void child.kill('SIGKILL');
  return {
    ended,
    kill,
    async run(input, signal) {
      const current = Promise.withResolvers<ChildAnswer<Outcome>>();
      task = current;
      const fail = (error: unknown): void => {
        kill();
        current.reject(error);
      };
      const abort = (): void => fail(signal.reason);
      const late = (): void => fail(new LostTask('overtime', `no answer in ${limits.waitMs} ms`));
      const timer = setTimeout(late, limits.waitMs);
      signal.addEventListener('abort', abort);
      // Sending to a process that has just ended fails; `ended` reports it.
      child.send(input as object, () => undefined);
      try {
        const answer = await current.promise;
        if (answer.kind === 'failed') throw new LostTask('ended', answer.message);
        return answer.outcome;
      } finally {
        task = null;
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

function spawnChild({ taskMs, memoryMb }: TaskLimits, entry: TaskEntry): ChildProcess {
  const command = [
    process.execPath,
    '--no-warnings',
    '--disable-sigusr1',
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    `--max-old-space-size=${memoryMb}`,
    CHILD,
    entry.filename,
    entry.name,
    String(taskMs),
    String(memoryMb * 1.5 + PROCESS_MB),
  ];
  // An abort for lack of memory must not write that memory to the disk.
  const withoutDump = ['/bin/sh', '-c', 'ulimit -c 0; exec "$@"', 'sh'];
  const [file = '', ...rest] =
    process.platform === 'win32' ? command : [...withoutDump, ...command];
  return spawn(file, rest, {
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C is for the service, which lets tasks finish.
    detached: true,
  });
}

async function endOf(child: ChildProcess): Promise<LostTask> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_CHARACTERS);
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal === 'SIGXCPU') return new LostTask('overtime', 'too much processor time');
    if (signal === 'SIGABRT' || code === ABORTED) return new LostTask('memory', 'out of memory');
    return new LostTask('ended', `${signal ?? `exit code ${code}`} ${errors.trim()}`.trim());
  } catch (error) {
    return new LostTask('ended', messageOf(error));
  }
}
