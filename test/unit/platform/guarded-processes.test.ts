import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type GuardedProcesses,
  openGuardedProcesses,
  type TaskLimits,
} from '#src/platform/guarded-processes.ts';

const PROBING = new URL('../../fixtures/files/probing-task.ts', import.meta.url).href;
const SERVICE = new URL('../../fixtures/files/orphan-parent.ts', import.meta.url);
const OPTIONS = { owner: 'one', signal: new AbortController().signal };
const open = (limits: Partial<TaskLimits> = {}): GuardedProcesses<string, unknown> =>
  openGuardedProcesses(
    { processes: 1, taskMs: 60_000, waitMs: 60_000, memoryMb: 64, ...limits },
    { filename: PROBING, name: 'probe' },
  );

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a stream of tasks shares a process, which ends with the pool', async () => {
  const processes = open();
  const first = await processes.run('pid', OPTIONS);
  await expect(processes.run('pid', OPTIONS)).resolves.toBe(first);
  await processes[Symbol.asyncDispose]();
  expect(isAlive(Number(first))).toBe(false);
});

test('a task whose process has been killed since the last one gets another', async () => {
  await using processes = open();
  const first = Number(await processes.run('pid', OPTIONS));
  process.kill(first, 'SIGKILL');
  const second = await processes.run('pid', OPTIONS);
  expect(second).not.toBe(first);
});

test('tasks of one owner do not delay another owner', async () => {
  await using processes = open({ processes: 2 });
  const stop = new AbortController();
  const busy = ['hang', 'hang', 'hang'].map((task) =>
    processes.run(task, { owner: 'busy', signal: stop.signal }),
  );
  const ended = Promise.allSettled(busy);
  const other = { owner: 'other', signal: OPTIONS.signal };
  await expect(processes.run('pid', other)).resolves.toBeTypeOf('number');
  stop.abort(new Error('called off'));
  expect((await ended).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
});

test('a task that neither answers nor computes ends at its time limit', async () => {
  await using processes = open({ waitMs: 3_000 });
  await expect(processes.run('idle', OPTIONS)).rejects.toMatchObject({ end: 'overtime' });
});

test('a signal to all processes of the service does not end a task', async () => {
  await using processes = open();
  const pid = Number(await processes.run('pid', OPTIONS));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
  await expect(processes.run('pid', OPTIONS)).resolves.toBe(pid);
});

test('a task sees no secret, writes no file and starts no program', async () => {
  process.env['ENCRYPTION_KEY'] ??= 'secret';
  await using processes = open();
  await expect(processes.run('environment', OPTIONS)).resolves.not.toHaveProperty('ENCRYPTION_KEY');
  await expect(processes.run('write', OPTIONS)).rejects.toThrow('restricted');
  await expect(processes.run('spawn', OPTIONS)).rejects.toThrow('restricted');
});

test('a task that never ends dies with a service that is killed', async () => {
  const service = spawn(process.execPath, [fileURLToPath(SERVICE)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(service.stdout, 'data');
  const pid = Number(String(printed));
  expect(isAlive(pid)).toBe(true);
  service.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
});
