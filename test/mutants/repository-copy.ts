import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Mutant } from './mutant.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'workers', 'queues', 'migrations', 'test', 'docs', 'bench', 'package.json'];

interface TestRun {
  result: 'passed' | 'failed' | 'timed out';
  output: string;
}

/** A copy of the repository whose files can be modified. */
export interface RepositoryCopy extends AsyncDisposable {
  /** Runs these test files with the fault applied, then reverts it. */
  tryMutant(mutant: Mutant, timeoutMs: number): Promise<TestRun>;
  runTests(files: readonly string[], timeoutMs: number): Promise<TestRun>;
}

export async function copyRepository(): Promise<RepositoryCopy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-mutants-'));
  for (const name of COPIED)
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return {
    runTests: (files, timeoutMs) => runTests(folder, files, timeoutMs),
    async tryMutant({ file, find, replace, tests }, timeoutMs) {
      const place = path.join(folder, file);
      const text = await readFile(place, 'utf8');
      await writeFile(
        place,
        text.replace(find, () => replace),
      );
      try {
        return await runTests(folder, tests, timeoutMs);
      } finally {
        await writeFile(place, text);
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function runTests(
  folder: string,
  files: readonly string[],
  timeoutMs: number,
): Promise<TestRun> {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const chosen = ['--config', 'test/vitest.config.ts', '--project', '!sizes', ...files];
  const child = spawn(process.execPath, [vitest, 'run', '--bail', '1', ...chosen], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that its test processes can be killed with it.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, timeoutMs);
  await once(child, 'close');
  clearTimeout(timer);
  if (isLate) return { result: 'timed out', output };
  return { result: child.exitCode === 0 ? 'passed' : 'failed', output };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has already exited.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
