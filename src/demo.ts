import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommandLine } from './cli/program.ts';
import { readConfig } from './platform/config.ts';
import { exitUnstarted, runUntilSignal } from './platform/lifecycle.ts';
import { createLog } from './platform/log.ts';
import { QUEUE_DASHBOARD_PATH } from './console/queue-dashboard.ts';
import { type RunningMillrace, startMillrace } from './start-millrace.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The sample corpus: Millrace's own manual. */
const CORPUS = ['docs', 'README.md'];
const QUESTIONS = [
  'How does Millrace make sure that no accepted document is lost?',
  'How do I add a queue?',
];

/** `npm run demo [-- --exit]`: from nothing to cited answers, over the HTTP API. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { exit: { type: 'boolean', default: false } } });
  const config = { ...readConfig(), LOG_LEVEL: 'warn' as const };
  say('Starting Millrace …');
  await runUntilSignal(
    'demo',
    async (signal) => {
      const running = await startMillrace(config);
      await show(running, signal);
      if (values.exit) process.kill(process.pid, 'SIGTERM');
      else say('\nServing until Ctrl-C.');
      return { phases: running.phases };
    },
    createLog(config.LOG_LEVEL),
  );
}

async function show(running: RunningMillrace, signal: AbortSignal): Promise<void> {
  const { url, adminKey } = running;
  say(`Millrace (${running.services.config.size}) listens on ${url}\n`);
  say(`$ millrace ingest ${CORPUS.join(' ')}`);
  await run(running, ['ingest', ...CORPUS, '--link-prefix', pathToFileURL(ROOT).href], signal);
  for (const question of QUESTIONS) {
    say(`\n$ millrace ask "${question}"`);
    await run(running, ['ask', question], signal);
  }
  say(`\nAPI reference    ${url}/docs`);
  say(`Queue dashboard  ${url}${QUEUE_DASHBOARD_PATH}  (any user name, the API key as password)`);
  if (adminKey !== null) say(`Admin API key    ${adminKey}`);
}

/** @throws Error when the command fails, so that a broken demo does not end with status 0 */
async function run(
  { url, adminKey }: RunningMillrace,
  words: string[],
  signal: AbortSignal,
): Promise<void> {
  const status = await runCommandLine(words, {
    terminal: {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      signal,
      workingFolder: ROOT,
    },
    settings: { MILLRACE_URL: url, MILLRACE_API_KEY: adminKey ?? '', DATA_DIR: '' },
    version: '',
  });
  if (status !== 0) throw new Error(`millrace ${words[0]} ended with status ${status}.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch(exitUnstarted);
