#!/usr/bin/env node
import packageJson from '#package.json' with { type: 'json' };
import { ConfigError, readClientConfig } from '#src/platform/config.ts';
import { askSecret } from './ask-secret.ts';
import { EXIT } from './exit.ts';
import { runCommandLine } from './program.ts';

const { stdin, stdout, stderr } = process;
const interrupt = new AbortController();
// Only once: a second Ctrl-C ends the process the usual way.
process.once('SIGINT', () => interrupt.abort(new DOMException('Ctrl-C', 'AbortError')));
process.once('SIGTERM', () => interrupt.abort(new DOMException('SIGTERM', 'AbortError')));
// The reader of a pipe may leave early (`millrace search … | head`): that is not an error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
});

try {
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    terminal: {
      stdin,
      stdout,
      stderr,
      signal: interrupt.signal,
      workingFolder: process.cwd(),
      ...(stdin.isTTY && stderr.isTTY
        ? { askSecret: (question: string) => askSecret(question, { stdin, stderr, interrupt }) }
        : {}),
    },
    settings: readClientConfig(),
    version: packageJson.version,
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  stderr.write(`error: ${error.message}\n`);
  process.exitCode = EXIT.usage;
} finally {
  // An unread pipe would keep the process alive.
  stdin.destroy();
}
