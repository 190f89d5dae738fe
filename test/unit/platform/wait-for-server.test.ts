import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ServerUnavailable, StartError } from '#src/platform/errors.ts';
import { waitForServer } from '#src/platform/wait-for-server.ts';

const log = pino({ level: 'silent' });
const away = () =>
  new ServerUnavailable({ server: 'Postgres at db:5432', reason: 'refused', remedy: 'Start it.' });
const noPause = async (): Promise<void> => {};

it('retries with growing pauses until the server answers, and logs once what it waits for', async () => {
  const lines: string[] = [];
  const pauses: number[] = [];
  let attempts = 0;
  const opened = await waitForServer(
    async () => {
      attempts += 1;
      if (attempts < 9) throw away();
      return 'open';
    },
    {
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
      signal: null,
      timeoutMs: 600_000,
    },
    async (ms) => void pauses.push(ms),
  );
  expect(opened).toBe('open');
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Postgres at db:5432');
});

it('fails with a sentence when the time is up', async () => {
  const waiting = waitForServer(() => Promise.reject(away()), { log, signal: null, timeoutMs: 0 });
  await expect(waiting).rejects.toThrow('Postgres at db:5432 does not answer (refused). Start it.');
});

it('does not wait when waiting is useless', async () => {
  let attempts = 0;
  const wrong = new StartError('DATABASE_URL has a wrong password.');
  const waiting = waitForServer(
    () => {
      attempts += 1;
      return Promise.reject(wrong);
    },
    { log, signal: null, timeoutMs: 600_000 },
    noPause,
  );
  await expect(waiting).rejects.toBe(wrong);
  expect(attempts).toBe(1);
});

it('ends at once when stopped, even during an attempt that hangs', async () => {
  const stop = new AbortController();
  const hangs = waitForServer(() => new Promise<never>(() => {}), {
    log,
    signal: stop.signal,
    timeoutMs: 600_000,
  });
  stop.abort();
  await expect(hangs).rejects.toBe(stop.signal.reason);
});
