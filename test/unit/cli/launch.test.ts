import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };

const run = promisify(execFile);
const LAUNCHER = resolve(import.meta.dirname, '../../..', packageJson.bin.millrace);
/** Simulates a Node that is too old: without type stripping it cannot run TypeScript. */
const OLD = ['--no-strip-types', LAUNCHER];

it('the launcher starts the command on a Node that can run it, from any folder', async () => {
  await using elsewhere = await mkdtempDisposable(join(tmpdir(), 'millrace-elsewhere-'));
  const { stdout } = await run(process.execPath, [...OLD, '--version'], { cwd: elsewhere.path });
  expect(stdout.trim()).toBe(packageJson.version);
});

it('the launcher exits with the status of the command', async () => {
  const typedWrongly = run(process.execPath, [...OLD, 'no-such-command']);
  await expect(typedWrongly).rejects.toMatchObject({ code: 2 });
});
