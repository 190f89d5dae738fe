import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type ApiClient, openApiClient } from './cli/api-client.ts';
import { runCommandLine } from './cli/program.ts';
import { isSignedWith, startDemoReceiver } from './demo-receiver.ts';
import { type Config, readConfig } from './platform/config.ts';
import { exitOnStartFailure } from './platform/exit-on-start-failure.ts';
import { runUntilSignal } from './platform/lifecycle.ts';
import { createLog } from './platform/log.ts';
import { QUEUE_DASHBOARD_PATH } from './console/queue-dashboard.ts';
import type { RunningMillrace } from './start-millrace.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The sample corpus: Millrace's own manual. */
const CORPUS = [
  { path: 'docs', linkPrefix: new URL('docs/', pathToFileURL(ROOT)).href },
  { path: 'README.md', linkPrefix: pathToFileURL(ROOT).href },
];
const QUESTIONS = [
  'How does Millrace make sure that no accepted document is lost?',
  'How do I add a queue?',
];
const WEBHOOK_TIMEOUT_MS = 20_000;
const WEBHOOK_POLL_MS = 50;

/** `npm run demo [-- --exit]`: from an empty store to cited answers and a signed webhook, over the HTTP API. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { exit: { type: 'boolean', default: false } } });
  const config = demoConfig(readConfig());
  // Loading the rest takes seconds; a wrong setting is reported before that.
  const { startMillrace } = await import('./start-millrace.ts');
  const log = createLog(config.LOG_LEVEL);
  say('Starting Millrace …');
  await runUntilSignal(
    'demo',
    async (signal) => {
      const running = await startMillrace(config, { log, signal });
      await show(running, signal);
      if (values.exit) process.kill(process.pid, 'SIGTERM');
      else say('\nServing until Ctrl-C.');
      return { phases: running.phases };
    },
    log,
  );
}

/** The demo's receiver is on this machine, where webhooks are only sent if the operator allows it. */
function demoConfig(config: Config): Config {
  const ranges = [...config.OUTBOUND_ALLOW_CIDRS, '127.0.0.1/32'];
  return { ...config, LOG_LEVEL: 'warn', OUTBOUND_ALLOW_CIDRS: ranges };
}

async function show(running: RunningMillrace, signal: AbortSignal): Promise<void> {
  const { url, adminKey } = running;
  say(`Millrace (${running.services.config.size}) listens on ${url}\n`);
  for (const { path, linkPrefix } of CORPUS) {
    say(`$ millrace ingest ${path}`);
    await run(running, ['ingest', path, '--link-prefix', linkPrefix], signal);
  }
  for (const question of QUESTIONS) {
    say(`\n$ millrace ask "${question}"`);
    await run(running, ['ask', question], signal);
  }
  await showWebhook(running, signal);
  say(`\nAPI reference    ${url}/docs`);
  say(`Queue dashboard  ${url}${QUEUE_DASHBOARD_PATH}  (any user name, the API key as password)`);
  if (adminKey !== null) say(`Admin API key    ${adminKey}`);
}

/** @throws Error when the command fails, so that a broken demo does not exit with status 0 */
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

const createdEndpoint = z.object({ id: z.string(), secret: z.string() });
const sentTest = z.object({ event_id: z.string(), delivery_id: z.union([z.string(), z.int()]) });
const receivedEvent = z.object({ id: z.string(), type: z.string() });
const deliveryState = z.object({ status: z.string() });

/** @throws Error when the webhook does not arrive in time, or is not as expected */
async function showWebhook({ url, adminKey }: RunningMillrace, signal: AbortSignal): Promise<void> {
  const client = openApiClient({ url, key: adminKey ?? '', signal, note: say });
  await using opened = new AsyncDisposableStack();
  const receiver = opened.use(await startDemoReceiver());
  say(`\nA webhook endpoint at ${receiver.url}, and a test event to it`);
  const endpoint = await client.json('POST', '/webhook-endpoints', createdEndpoint, {
    body: { url: receiver.url, description: 'The receiver of the demo', event_types: ['ping'] },
  });
  const path = `/webhook-endpoints/${endpoint.id}`;
  opened.defer(async () => {
    await client.json('DELETE', path, z.unknown());
  });
  const deadline = deadlineWithin(opened, signal);
  const sent = await client.json('POST', `${path}/test`, sentTest, { body: {} });
  const webhook = await receiver.first(deadline);
  const event = receivedEvent.parse(JSON.parse(webhook.body.toString()));
  if (event.id !== sent.event_id) throw new Error(`${event.id} came, not ${sent.event_id}.`);
  say(`Received   ${event.type}, ${event.id}`);
  if (!isSignedWith(endpoint.secret, webhook)) throw new Error('Its X-Signature does not match.');
  say("Verified   X-Signature is the HMAC of the body under the endpoint's secret");
  say(`Delivery   ${await finalStatus(client, String(sent.delivery_id), deadline)}`);
}

function deadlineWithin(opened: AsyncDisposableStack, signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const seconds = WEBHOOK_TIMEOUT_MS / 1_000;
  const timer = setTimeout(() => {
    late.abort(new Error(`The webhook was not delivered within ${seconds} s.`));
  }, WEBHOOK_TIMEOUT_MS);
  opened.defer(() => clearTimeout(timer));
  return AbortSignal.any([signal, late.signal]);
}

/** The row is updated shortly after the receiver's answer. */
async function finalStatus(
  client: ApiClient,
  deliveryId: string,
  deadline: AbortSignal,
): Promise<string> {
  for (;;) {
    deadline.throwIfAborted();
    const { status } = await client.json('GET', `/webhook-deliveries/${deliveryId}`, deliveryState);
    if (status === 'delivered') return status;
    if (status !== 'pending' && status !== 'delivering') {
      throw new Error(`The webhook was received, but its delivery is ${status}.`);
    }
    await client.wait(WEBHOOK_POLL_MS);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch(exitOnStartFailure);
