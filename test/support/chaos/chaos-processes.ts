import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startProcess } from '#test/support/child-process.ts';
import type { Target } from './chaos-script.ts';

const CLOCK = fileURLToPath(new URL('shift-clock.ts', import.meta.url));
const STOP_TIMEOUT_MS = 60_000;

type Entry = Parameters<typeof startProcess>[0];

/** A process of the service that is killed, stopped and started again. */
export class ChaosProcess {
  #running: ServiceProcess | null = null;
  #isStopped = false;
  readonly #entry: Entry;
  readonly #settings: Record<string, string>;
  readonly name: Target;

  constructor(name: Target, entry: Entry, settings: Record<string, string>) {
    this.name = name;
    this.#entry = entry;
    this.#settings = settings;
  }

  async start(clockMs: number = 0): Promise<void> {
    this.#running = await startProcess(this.#entry, {
      ...this.#settings,
      NODE_OPTIONS: `--import ${CLOCK}`,
      CLOCK_SHIFT_MS: String(clockMs),
    });
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#isStopped = false;
    await running?.kill();
  }

  /** Ends as in a deployment. @throws when it does not end, or not well */
  async end(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    running.signal('SIGTERM');
    const ending = await running.ended(STOP_TIMEOUT_MS);
    if (ending !== 0)
      throw new Error(`${this.name} ended with ${ending}:\n${running.lines.join('\n')}`);
  }

  stop(): void {
    this.#isStopped = true;
    this.#running?.signal('SIGSTOP');
  }

  resume(): void {
    if (this.#isStopped) this.#running?.signal('SIGCONT');
    this.#isStopped = false;
  }

  /** How it ended although nobody ended it; null while it runs. */
  death(): string | null {
    const ending = this.#running?.ending() ?? null;
    if (ending === null) return null;
    return `${this.name} ended with ${ending}:\n${this.#running?.lines.slice(-10).join('\n')}`;
  }
}
