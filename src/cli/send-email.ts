import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiFailure } from './api-failure.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { pathOfAccount } from './email-accounts.ts';
import { plainLine } from './terminal.ts';

/** The service waits 20 s for the mail server. */
const TIMEOUT_MS = 40_000;

const verification = z.looseObject({
  verified: z.boolean(),
  message: z.string(),
  status: z.string(),
  warnings: z.array(z.string()),
});
const finding = z.looseObject({
  publish: z.object({ name: z.string(), type: z.string(), value: z.string() }).nullable(),
});
const checkedAccount = z.looseObject({
  deliverability: z.looseObject({ spf: finding, dkim: finding, dmarc: finding }).nullish(),
});
const sentMessage = z.looseObject({
  id: z.string(),
  status: z.string(),
  to: z.string(),
  error: z.string().nullable(),
  status_url: z.string(),
});

export interface NewMessage {
  to: string;
  subject: string;
  text: string;
}

/**
 * Sends a test message and reports the outcome.
 * @throws CommandFailure when the account was not verified
 */
export async function verifyAccount(
  id: string,
  { to }: { to: string },
  context: CommandContext,
): Promise<void> {
  const answer = await context.connect().json('POST', `${pathOfAccount(id)}/verify`, verification, {
    body: { test_recipient: to },
    timeoutMs: TIMEOUT_MS,
    // A repeated request shares the test message in progress.
    repeatable: true,
  });
  const { verified, message, status, warnings } = answer;
  const isUnderWay = status === 'queued' || status === 'sending';
  const { stdout, stderr } = context.terminal;
  if (context.wantsJson()) printJson(context, answer);
  else {
    if (verified) stdout.write(`${plainLine(message)}\n`);
    for (const warning of warnings) stderr.write(`${plainLine(warning)}\n`);
    if (!isUnderWay && warnings.length > 0) await printRecordsToPublish(id, context);
  }
  if (verified) return;
  throw new CommandFailure(
    plainLine(isUnderWay ? `${message} Run the same command again to see its status.` : message),
  );
}

/** The DNS records that the last verification found missing or wrong. */
async function printRecordsToPublish(id: string, context: CommandContext): Promise<void> {
  const { deliverability } = await context.connect().json('GET', pathOfAccount(id), checkedAccount);
  if (!deliverability) return;
  const { spf, dkim, dmarc } = deliverability;
  for (const { publish } of [spf, dkim, dmarc]) {
    if (publish === null) continue;
    const { name, type, value } = publish;
    context.terminal.stderr.write(`${plainLine(`Publish at ${name}, type ${type}: ${value}`)}\n`);
  }
}

/** Sends one message exactly once: each try has the same Idempotency-Key. */
export async function sendMessage(
  id: string,
  { to, subject, text }: NewMessage,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const path = `${pathOfAccount(id)}/send`;
  const call = {
    body: { to, subject, text },
    headers: { 'idempotency-key': randomUUID() },
    timeoutMs: TIMEOUT_MS,
    repeatable: true,
  };
  const message = await client.json('POST', path, sentMessage, call).catch((error: unknown) => {
    if (client.signal.aborted || (error instanceof ApiFailure && error.status === null)) {
      context.terminal.stderr.write(
        'The message may have been sent. Check GET /email-messages before you send it again.\n',
      );
    }
    throw error;
  });
  if (context.wantsJson()) {
    printJson(context, message);
    return;
  }
  const { status, error, status_url } = message;
  const news =
    status === 'sent'
      ? `Sent to ${message.to}.`
      : `The message to ${message.to} is ${status} and continues by itself. ${error ?? ''} GET ${status_url} shows its status.`;
  context.terminal.stdout.write(`${plainLine(news)}\n`);
}
