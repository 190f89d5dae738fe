import { z } from 'zod';
import { type CommandContext, printJson } from './command-context.ts';
import { formatList, plainLine } from './terminal.ts';

const ENDPOINTS = '/webhook-endpoints';
export const pathOfEndpoint = (id: string): string => `${ENDPOINTS}/${encodeURIComponent(id)}`;

const endpointSchema = z.looseObject({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  event_types: z.array(z.string()).nullable(),
  enabled: z.boolean(),
  health: z.looseObject({
    state: z.string(),
    failures: z.number(),
    last_success_at: z.string().nullable(),
  }),
});
const endpointList = z.object({ webhook_endpoints: z.array(endpointSchema), total: z.number() });
const withSecret = z.looseObject({ id: z.string(), secret: z.string() });

export interface CreateOptions {
  events?: string[];
  description?: string;
}

export async function listEndpoints(context: CommandContext): Promise<void> {
  const { webhook_endpoints: endpoints } = await context
    .connect()
    .json('GET', ENDPOINTS, endpointList);
  if (context.wantsJson()) {
    printJson(context, endpoints);
    return;
  }
  const rows = endpoints.map(({ id, url, enabled, event_types, health, description }) =>
    [
      id,
      url,
      enabled ? health.state : 'disabled',
      String(health.failures),
      health.last_success_at ?? 'never',
      event_types?.join(',') ?? 'usual',
      description,
    ].map(plainLine),
  );
  const head = ['Id', 'URL', 'Health', 'Failures', 'Last success', 'Events', 'Description'];
  context.terminal.stdout.write(
    formatList(head, rows, 'There are no endpoints yet: "millrace webhooks create".'),
  );
}

export async function createEndpoint(
  url: string,
  { events, description }: CreateOptions,
  context: CommandContext,
): Promise<void> {
  const created = await context.connect().json('POST', ENDPOINTS, withSecret, {
    body: {
      url,
      ...(events === undefined ? {} : { event_types: events }),
      ...(description === undefined ? {} : { description }),
    },
  });
  showSecret(created, `Created endpoint ${plainLine(created.id)}.`, context);
}

export async function rotateSecret(
  id: string,
  { grace }: { grace?: number },
  context: CommandContext,
): Promise<void> {
  const path = `${pathOfEndpoint(id)}/rotate-secret`;
  const rotated = await context
    .connect()
    .json('POST', path, z.looseObject({ secret: z.string() }), {
      body: grace === undefined ? {} : { grace_period_seconds: grace },
    });
  showSecret(rotated, `Endpoint ${plainLine(id)} has a new secret.`, context);
}

/** Only the secret goes to stdout, so that it can be piped into a secret store. */
function showSecret(answer: { secret: string }, news: string, context: CommandContext): void {
  if (context.wantsJson()) {
    printJson(context, answer);
    return;
  }
  context.terminal.stderr.write(`${news} Its secret is shown this once:\n`);
  context.terminal.stdout.write(`${plainLine(answer.secret)}\n`);
}

export async function enableEndpoint(
  id: string,
  enabled: boolean,
  context: CommandContext,
): Promise<void> {
  const endpoint = await context
    .connect()
    .json('PATCH', pathOfEndpoint(id), endpointSchema, { body: { enabled } });
  if (context.wantsJson()) {
    printJson(context, endpoint);
    return;
  }
  const { stdout } = context.terminal;
  if (enabled) {
    stdout.write(
      `Enabled ${plainLine(id)}. "millrace webhooks recover ${plainLine(id)} --since …" sends what it missed.\n`,
    );
  } else stdout.write(`Disabled ${plainLine(id)}.\n`);
}
