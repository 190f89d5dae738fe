import { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import { parseJson, weighJson } from '#src/platform/parse-json.ts';
import { judgeBounce } from './judge-bounce.ts';
import { readReportAddress } from './report-address.ts';
import type { BounceVerdict, ReportedReturn } from './reported-return.ts';
import {
  mailgunEvent,
  postmarkEvent,
  type ProviderReturn,
  sendgridEvents,
  sesEvent,
} from './provider-dialects.ts';

const MAX_EVENTS = 1_000;
const MAX_VALUES = 50_000;

/** A post either reports messages, or asks to confirm the subscription by opening a URL. */
export type Posted = { returns: ReportedReturn[] } | { confirmUrl: string };

const ownFormat = z.strictObject({
  reports: z
    .array(
      z.strictObject({
        kind: z.enum(['bounced', 'complained']),
        message_id: z.string().max(1_000).nullish(),
        recipient: z.string().max(400).nullish(),
        status_code: z.string().max(20).nullish(),
        diagnostic: z.string().max(4_000).nullish(),
      }),
    )
    .max(MAX_EVENTS),
});

const snsEnvelope = z.looseObject({
  Type: z.string(),
  Message: z.string().optional(),
  SubscribeURL: z.string().optional(),
});

/**
 * Reads a provider's post. Events that are not about returned messages are skipped.
 * @throws Problem BAD_REQUEST for an unknown format
 */
export function readPosted(bytes: Uint8Array): Posted {
  const body = readJson(bytes);
  const sns = snsEnvelope.safeParse(body);
  if (sns.success && sns.data.Type === 'SubscriptionConfirmation') {
    return { confirmUrl: sns.data.SubscribeURL ?? '' };
  }
  if (sns.success && sns.data.Message !== undefined) {
    if (sns.data.Type !== 'Notification') return { returns: [] };
    return returnsOf(sesEvent(readJson(Buffer.from(sns.data.Message))));
  }
  for (const read of [sendgridEvents, postmarkEvent, mailgunEvent, sesEvent]) {
    const events = read(body);
    if (events !== null) return returnsOf(events);
  }
  return returnsOf(readOwnFormat(body));
}

function readJson(bytes: Uint8Array): unknown {
  weighJson(bytes, MAX_VALUES);
  return parseJson(bytes);
}

function readOwnFormat(body: unknown): ProviderReturn[] {
  const parsed = ownFormat.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined ? '' : ` (${issue.path.join('.') || 'body'}: ${issue.message})`;
    throw new Problem(
      'BAD_REQUEST',
      `The body has an unknown format${where}. Send {"reports": [{"kind": "bounced", "message_id": "…", "recipient": "…"}]}, a message as message/rfc822, or events of Amazon SES, Mailgun, Postmark or SendGrid.`,
    );
  }
  return parsed.data.reports.map((report) => ({
    kind: report.kind,
    messageId: report.message_id ?? null,
    recipient: report.recipient ?? null,
    status: report.status_code ?? null,
    diagnostic: report.diagnostic ?? '',
    isDead: false,
  }));
}

function returnsOf(events: readonly ProviderReturn[] | null): Posted {
  return { returns: (events ?? []).slice(0, MAX_EVENTS).map(reportedOf) };
}

function reportedOf(event: ProviderReturn): ReportedReturn {
  const id = event.messageId?.replaceAll(/[<>\s]/g, '') ?? '';
  const message = {
    messageIds: id === '' ? [] : [id],
    envelopeId: null,
    recipient: { final: readReportAddress(event.recipient ?? undefined), original: null },
  };
  return event.kind === 'complained'
    ? { kind: 'complained', ...message, statusCode: null, cause: 'complaint' }
    : { kind: 'bounced', ...message, ...verdictOf(event) };
}

/** The provider's verdict counts, unless the server's reply blames the sender. */
function verdictOf({ status, diagnostic, isDead }: ProviderReturn): BounceVerdict {
  const verdict = judgeBounce({ status, diagnostic });
  return isDead && verdict.cause === 'undelivered'
    ? { ...verdict, cause: 'no_such_address', isHard: true }
    : verdict;
}
