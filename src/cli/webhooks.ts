import { InvalidArgumentError } from 'commander';
import { type AddCommand, wholeNumber } from './command-context.ts';
import { type ListenOptions, listenForWebhooks } from './listen-webhooks.ts';
import {
  type DeliveryFilter,
  type RecoverOptions,
  listAttempts,
  listDeliveries,
  recoverDeliveries,
  resendDelivery,
  testEndpoint,
} from './webhook-deliveries.ts';
import {
  type CreateOptions,
  createEndpoint,
  enableEndpoint,
  listEndpoints,
  rotateSecret,
} from './webhook-endpoints.ts';

const MAX_GRACE_SECONDS = 604_800;
const MAX_PAGE = 200;
const ENDPOINT = ['<id>', 'id of the endpoint, as "webhooks list" shows it'] as const;
const DELIVERY = ['<delivery>', 'id of the delivery, as "webhooks deliveries" shows it'] as const;

/** `millrace webhooks`: endpoints, their deliveries, and a receiver for testing. */
export const addWebhooksCommand: AddCommand = (program, context) => {
  const webhooks = program
    .command('webhooks')
    .summary('webhook endpoints, their deliveries, and a receiver to try them with')
    .description('Manage webhook endpoints and look at what was sent to them; needs an admin key.');
  const command = (name: string, description: string) =>
    webhooks.command(name).description(description);
  command('list', 'List the endpoints with their health.').action(() => listEndpoints(context));
  command('create', 'Create an endpoint. Its secret is shown once.')
    .argument('<url>', 'where events are posted to: https, or http in an opened range')
    .option('--events <types>', 'event types, separated by commas (default: all usual ones)', words)
    .option('--description <text>', 'what the endpoint is for')
    .action((url: string, options: CreateOptions) => createEndpoint(url, options, context));
  command('test', 'Send a ping to an endpoint, wait up to 20 s and show what became of it.')
    .argument(...ENDPOINT)
    .action((id: string) => testEndpoint(id, context));
  command('deliveries', 'List deliveries, the newest first.')
    .option('--endpoint <id>', 'only of this endpoint')
    .option('--status <status>', 'pending, delivering, waiting, delivered, exhausted or canceled')
    .option('--limit <n>', 'how many', wholeNumber(1, MAX_PAGE), 20)
    .action((options: DeliveryFilter) => listDeliveries(options, context));
  command('attempts', 'Show each attempt at a delivery with what the receiver answered.')
    .argument(...DELIVERY)
    .action((id: string) => listAttempts(id, context));
  command('resend', 'Send a delivery again, with the same webhook-id.')
    .argument(...DELIVERY)
    .action((id: string) => resendDelivery(id, context));
  command('recover', 'Count what an endpoint has missed since a time; with --yes send it again.')
    .argument(...ENDPOINT)
    .requiredOption('--since <time>', 'a time such as 2026-01-31T12:00:00Z, or 30m, 2h, 3d', since)
    .option('--yes', 'send it')
    .action((id: string, options: RecoverOptions) => recoverDeliveries(id, options, context));
  command('enable', 'Enable an endpoint.')
    .argument(...ENDPOINT)
    .action((id: string) => enableEndpoint(id, true, context));
  command('disable', 'Disable an endpoint; what waits for it is canceled.')
    .argument(...ENDPOINT)
    .action((id: string) => enableEndpoint(id, false, context));
  command('rotate', 'Give an endpoint a new secret, shown once. The old one signs too for a while.')
    .argument(...ENDPOINT)
    .option('--grace <seconds>', 'how long (default: a day)', wholeNumber(0, MAX_GRACE_SECONDS))
    .action((id: string, options: { grace?: number }) => rotateSecret(id, options, context));
  command('listen', 'Receive webhooks on this machine and print each as a line, until Ctrl-C.')
    .option('--port <port>', 'port of 127.0.0.1 to listen on', wholeNumber(0, 65_535), 8787)
    .option('--secret <secret>', 'secret of the endpoint, to check the signatures', secret)
    .action((options: ListenOptions) => listenForWebhooks(options, context));
};

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2h` is two hours ago by this machine's clock. */
function since(text: string): string {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms =
    count === undefined
      ? parseTime(text)
      : Date.now() - Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      'It must be a time such as 2026-01-31T12:00:00Z, or a span such as 30m, 2h or 3d.',
    );
  }
  return new Date(ms).toISOString();
}

/** Date.parse alone accepts nearly any text. */
function parseTime(text: string): number {
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}

function secret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the whole secret, including whsec_.');
}
