#!/usr/bin/env node
// The command itself is TypeScript for the Node of this package; any Node may start it from any folder.
// oxlint-disable-next-line no-restricted-imports -- starting a process is all that this file does
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const node = createRequire(import.meta.url).resolve('node/bin/node');
const command = fileURLToPath(new URL('./millrace.ts', import.meta.url));
const child = spawn(node, [command, ...process.argv.slice(2)], { stdio: 'inherit' });
// A terminal sends Ctrl-C to both: the command decides what it means. Other senders reach this process alone.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (error) => {
  process.stderr.write(`error: ${node} cannot be started: ${error.message}. Run npm ci there.\n`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
});
