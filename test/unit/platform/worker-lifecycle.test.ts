import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { FatalError } from '#src/platform/errors.ts';
import { runUntilSignal, type ShutdownPhase } from '#src/platform/lifecycle.ts';

class FakeHost extends EventEmitter {
  readonly exitCodes: number[] = [];
  exit(code: number): void {
    this.exitCodes.push(code);
  }
}

const log = pino({ level: 'silent' });

function phase(
  name: string,
  ran: string[],
  run: () => Promise<void> = async () => {},
): ShutdownPhase {
  return {
    name,
    timeoutMs: 50,
    async run() {
      ran.push(name);
      await run();
    },
  };
}

/** A process that has completed its start when this resolves. */
async function started(phases: ShutdownPhase[]): Promise<{ host: FakeHost; done: Promise<void> }> {
  const host = new FakeHost();
  const ready = Promise.withResolvers<void>();
  const start = async (): Promise<{ phases: ShutdownPhase[] }> => {
    ready.resolve();
    return { phases };
  };
  const done = runUntilSignal('test', start, log, host);
  await ready.promise;
  return { host, done };
}

describe('runUntilSignal', () => {
  it('runs the phases in order and exits with 0', async () => {
    const ran: string[] = [];
    const { host, done } = await started([
      phase('intake', ran),
      phase('jobs', ran),
      phase('database', ran),
    ]);
    host.emit('SIGTERM', 'SIGTERM');
    await done;
    expect(ran).toEqual(['intake', 'jobs', 'database']);
    expect(host.exitCodes).toEqual([0]);
    expect(host.eventNames()).toEqual([]);
  });

  it('continues with the next phase when one fails or hangs', async () => {
    const ran: string[] = [];
    const { host, done } = await started([
      phase('fails', ran, async () => {
        throw new Error('no');
      }),
      phase('hangs', ran, async () => new Promise(() => {})),
      phase('last', ran),
    ]);
    host.emit('SIGINT', 'SIGINT');
    await done;
    expect(ran).toEqual(['fails', 'hangs', 'last']);
    expect(host.exitCodes).toEqual([0]);
  });

  it('exits with 1 at once on a second signal', async () => {
    const { host, done } = await started([phase('hangs', [], async () => new Promise(() => {}))]);
    host.emit('SIGINT', 'SIGINT');
    host.emit('SIGINT', 'SIGINT');
    await expect.poll(() => host.exitCodes[0]).toBe(1);
    await done;
  });

  it.each(['uncaughtException', 'unhandledRejection'])(
    'shuts down and exits with 1 on %s',
    async (event) => {
      const ran: string[] = [];
      const { host, done } = await started([phase('jobs', ran)]);
      host.emit(event, new Error('nobody caught me'));
      await done;
      expect(ran).toEqual(['jobs']);
      expect(host.exitCodes).toEqual([1]);
    },
  );

  it('exits with 1 at once, skipping its phases, after a fatal failure', async () => {
    const ran: string[] = [];
    const { host } = await started([phase('jobs', ran)]);
    const error = new FatalError('The database is gone.');
    host.emit('uncaughtException', error);
    host.emit('unhandledRejection', error);
    await expect.poll(() => host.exitCodes).toEqual([1]);
    expect(ran).toEqual([]);
  });

  it('stops a start in progress, then runs its phases', async () => {
    const host = new FakeHost();
    const ran: string[] = [];
    const done = runUntilSignal(
      'test',
      async (signal) => {
        host.emit('SIGTERM', 'SIGTERM');
        expect(signal.aborted).toBe(true);
        return { phases: [phase('jobs', ran)] };
      },
      log,
      host,
    );
    await done;
    expect(ran).toEqual(['jobs']);
  });

  it('exits with 0 when a start ends because it was stopped', async () => {
    const host = new FakeHost();
    const start = async (signal: AbortSignal): Promise<never> => {
      host.emit('SIGTERM', 'SIGTERM');
      throw signal.reason;
    };
    await runUntilSignal('test', start, log, host);
    expect(host.exitCodes).toEqual([0]);
  });

  it('rejects with the error of a failed start', async () => {
    const host = new FakeHost();
    const start = async (): Promise<never> => {
      throw new Error('REDIS_URL is not usable');
    };
    await expect(runUntilSignal('test', start, log, host)).rejects.toThrow('REDIS_URL');
    expect(host.eventNames()).toEqual([]);
  });
});
