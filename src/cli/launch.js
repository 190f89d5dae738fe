#!/usr/bin/env node
// The command itself is TypeScript, which runs as it is from Node 24 on. An older Node starts the one that came with the
// package for it (an optional dependency); any Node may start this file, from any folder.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;

const node = findNode();
if (node === null) {
  process.stderr.write(
    `error: Node ${process.versions.node} is too old. Use Node ${OLDEST_NODE}, or run npm ci without --omit=optional.\n`,
  );
  process.exit(1);
}
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

/** The program that runs the command: this one when it is new enough, else the package's; null without either. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return process.execPath;
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    return null;
  }
}
