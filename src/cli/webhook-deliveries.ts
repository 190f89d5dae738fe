import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { formatCount, formatSeconds, formatList, plainLine } from './terminal.ts';
import { pathOfEndpoint } from './webhook-endpoints.ts';

const DELIVERIES = '/webhook-deliveries';
const TEST_WAIT_MS = 20_000;
const POLL_MS = 500;
/** Long, because up to 100,000 events may be concerned. */
const RECOVERY_TIMEOUT_MS = 300_000;

const id = z.union([z.string(), z.number()]).transform(String);
const deliverySchema = z.looseObject({
  id,
  event_type: z.string(),
  endpoint_id: z.string(),
  status: z.string(),
  attempts: z.number(),
  next_attempt_at: z.string().nullable(),
  last_status_code: z.number().nullable(),
  error: z.string().nullable(),
  created_at: z.string(),
});
const deliveryList = z.object({
  deliveries: z.array(deliverySchema),
  next_cursor: z.string().nullable(),
});

const attemptSchema = z.looseObject({
  outcome: z.string(),
  counts: z.boolean(),
  status_code: z.number().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable(),
  duration_ms: z.number(),
  started_at: z.string(),
});
type Attempt = z.output<typeof attemptSchema>;

const recovery = z.looseObject({
  matched: z.object({ failed: z.number(), missing: z.number() }),
  recovered: z.number(),
});

export interface DeliveryFilter {
  endpoint?: string;
  status?: string;
  limit: number;
}

export interface RecoverOptions {
  since: string;
  yes?: true;
}

const pathOfDelivery = (delivery: string): string =>
  `${DELIVERIES}/${encodeURIComponent(delivery)}`;

export async function listDeliveries(
  options: DeliveryFilter,
  context: CommandContext,
): Promise<void> {
  const query = new URLSearchParams({ limit: String(options.limit) });
  if (options.endpoint !== undefined) query.set('endpoint_id', options.endpoint);
  if (options.status !== undefined) query.set('status', options.status);
  const path = `${DELIVERIES}?${query}`;
  const { deliveries } = await context.connect().json('GET', path, deliveryList);
  if (context.wantsJson()) {
    printJson(context, deliveries);
    return;
  }
  const rows = deliveries.map((one) =>
    [
      one.id,
      one.created_at,
      one.event_type,
      one.endpoint_id,
      one.status,
      String(one.attempts),
      one.last_status_code?.toString() ?? '-',
      one.next_attempt_at ?? '-',
      one.error ?? '',
    ].map(plainLine),
  );
  const head = 'Id,Created,Event,Endpoint,Status,Attempts,Answer,Next attempt,Error'.split(',');
  context.terminal.stdout.write(formatList(head, rows, 'There are no such deliveries.'));
}

export async function listAttempts(delivery: string, context: CommandContext): Promise<void> {
  const attempts = await readAttempts(context.connect(), delivery);
  if (context.wantsJson()) printJson(context, attempts);
  else if (attempts.length === 0) context.terminal.stdout.write('No attempt yet.\n');
  else context.terminal.stdout.write(attempts.map((one) => `${describe(one)}\n`).join(''));
}

async function readAttempts(client: ApiClient, delivery: string): Promise<Attempt[]> {
  const path = `${pathOfDelivery(delivery)}/attempts`;
  const { attempts } = await client.json(
    'GET',
    path,
    z.object({ attempts: z.array(attemptSchema) }),
  );
  return attempts;
}

/** `2026-01-01T00:00:00.000Z delivered: answered 200 "ok" in 12 ms` */
function describe({ outcome, counts, status_code, error, answer, ...rest }: Attempt): string {
  const answered = status_code === null ? 'no answer' : `answered ${status_code}`;
  const said = plainLine(answer ?? '').slice(0, 200);
  return [
    `${plainLine(rest.started_at)} ${plainLine(outcome)}: ${answered}`,
    said === '' ? '' : ` ${JSON.stringify(said)}`,
    ` in ${formatSeconds(rest.duration_ms / 1_000)}`,
    error === null ? '' : `. ${plainLine(error)}`,
    counts ? '' : ' (does not count)',
  ].join('');
}

/** @throws CommandFailure when the ping is not delivered */
export async function testEndpoint(endpoint: string, context: CommandContext): Promise<void> {
  const client = context.connect();
  const { delivery_id: delivery } = await client.json(
    'POST',
    `${pathOfEndpoint(endpoint)}/test`,
    z.looseObject({ delivery_id: id }),
    { body: {} },
  );
  for (let waitedMs = 0; waitedMs <= TEST_WAIT_MS; waitedMs += POLL_MS) {
    const { status } = await client.json('GET', pathOfDelivery(delivery), deliverySchema);
    if (status !== 'pending' && status !== 'delivering') {
      // Read after the state: the attempt that led to that state was written together with it.
      const last = (await readAttempts(client, delivery)).toSorted(byTime).at(-1);
      if (context.wantsJson()) printJson(context, { delivery_id: delivery, status, attempt: last });
      else context.terminal.stdout.write(`${last ? describe(last) : plainLine(status)}\n`);
      if (status === 'delivered') return;
      throw new CommandFailure(`The ping was not delivered; delivery ${delivery} is ${status}.`);
    }
    await client.wait(POLL_MS);
  }
  throw new CommandFailure(
    `Nothing was sent in ${TEST_WAIT_MS / 1_000} s. Are the workers running? See "millrace webhooks attempts ${delivery}".`,
  );
}

function byTime(a: Attempt, b: Attempt): number {
  return Date.parse(a.started_at) - Date.parse(b.started_at);
}

export async function resendDelivery(delivery: string, context: CommandContext): Promise<void> {
  const path = `${pathOfDelivery(delivery)}/resend`;
  const answer = await context.connect().json('POST', path, z.unknown(), { body: {} });
  if (context.wantsJson()) printJson(context, answer);
  else {
    context.terminal.stdout.write(
      `Delivery ${plainLine(delivery)} is sent again. "millrace webhooks attempts ${plainLine(delivery)}" shows the outcome.\n`,
    );
  }
}

/** Without `yes`, only counts and sends nothing. */
export async function recoverDeliveries(
  endpoint: string,
  { since, yes }: RecoverOptions,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const path = `${pathOfEndpoint(endpoint)}/recover`;
  const body = { since, dry_run: yes !== true };
  const { matched, recovered } = await client.json('POST', path, recovery, {
    body,
    timeoutMs: RECOVERY_TIMEOUT_MS,
    // Recovered events no longer count as missed, so a repeated request sends nothing twice.
    repeatable: true,
  });
  if (context.wantsJson()) {
    printJson(context, { matched, recovered, dry_run: body.dry_run });
    return;
  }
  const { stdout, stderr } = context.terminal;
  stdout.write(
    `Since ${since}: ${formatCount(matched.failed)} not delivered, ${formatCount(matched.missing)} never sent.\n`,
  );
  const missed = matched.failed + matched.missing;
  if (yes) {
    stdout.write(`Sending ${formatCount(recovered)}.\n`);
    if (recovered < missed) stderr.write('Run it again for the rest.\n');
  } else if (missed > 0) stderr.write('Nothing was sent. Add --yes to send them.\n');
}
