import { z } from 'zod';

/** A provider's event, in a common form. */
export interface ProviderReturn {
  kind: 'bounced' | 'complained';
  /** Our `Message-ID`, with or without angle brackets; null when the provider replaces it with its own. */
  messageId: string | null;
  recipient: string | null;
  status: string | null;
  diagnostic: string;
  /** Whether the provider says that the address is dead. */
  isDead: boolean;
}

// Each reader returns null for a body of another provider.

const text = z.string().max(10_000).nullish().catch(null);

const sendgrid = z.array(
  z.looseObject({
    event: z.string(),
    email: text,
    'smtp-id': text,
    status: text,
    reason: text,
    type: text,
  }),
);

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export function sendgridEvents(body: unknown): ProviderReturn[] | null {
  const parsed = sendgrid.safeParse(body);
  if (!parsed.success) return null;
  return parsed.data.flatMap((event): ProviderReturn[] => {
    const about = {
      messageId: event['smtp-id'] ?? null,
      recipient: event.email ?? null,
      status: event.status ?? null,
      diagnostic: event.reason ?? '',
      isDead: false,
    };
    if (event.event === 'spamreport') return [{ kind: 'complained', ...about }];
    const isReturned = event.event === 'bounce' || event.event === 'dropped';
    return isReturned ? [{ kind: 'bounced', ...about }] : [];
  });
}

const postmark = z.looseObject({
  RecordType: z.string(),
  Type: text,
  Email: text,
  Details: text,
});

/** Types that end a message. Others are retried, or are not bounces. */
const POSTMARK_BOUNCES = new Set([
  'HardBounce',
  'BadEmailAddress',
  'SoftBounce',
  'Blocked',
  'SpamNotification',
  'VirusNotification',
  'DnsError',
]);
const POSTMARK_DEAD = new Set(['HardBounce', 'BadEmailAddress']);

/** The `MessageID` is Postmark's own. https://postmarkapp.com/developer/webhooks/bounce-webhook */
export function postmarkEvent(body: unknown): ProviderReturn[] | null {
  const parsed = postmark.safeParse(body);
  if (!parsed.success) return null;
  const { RecordType: record, Type: type, Email: recipient, Details: details } = parsed.data;
  const about = {
    messageId: null,
    recipient: recipient ?? null,
    status: null,
    diagnostic: details ?? '',
    isDead: POSTMARK_DEAD.has(type ?? ''),
  };
  if (record === 'SpamComplaint' || type === 'SpamComplaint') {
    return [{ kind: 'complained', ...about }];
  }
  const isReturned = record === 'Bounce' && POSTMARK_BOUNCES.has(type ?? '');
  return isReturned ? [{ kind: 'bounced', ...about }] : [];
}

const mailgun = z.looseObject({
  'event-data': z.looseObject({
    event: z.string(),
    severity: text,
    recipient: text,
    message: z.looseObject({ headers: z.looseObject({ 'message-id': text }).nullish() }).nullish(),
    'delivery-status': z
      .looseObject({
        code: z.int().nullish().catch(null),
        'enhanced-code': text,
        message: text,
        description: text,
      })
      .nullish(),
  }),
});

/** https://documentation.mailgun.com/docs/mailgun/user-manual/events/webhook-payloads */
export function mailgunEvent(body: unknown): ProviderReturn[] | null {
  const parsed = mailgun.safeParse(body);
  if (!parsed.success) return null;
  const { event, severity, recipient, message, ...data } = parsed.data['event-data'];
  const delivery = data['delivery-status'];
  const about = {
    messageId: message?.headers?.['message-id'] ?? null,
    recipient: recipient ?? null,
    status: delivery?.['enhanced-code'] ?? null,
    diagnostic: [delivery?.code, delivery?.message, delivery?.description]
      .filter((part) => part !== null && part !== undefined && part !== '')
      .join(' '),
    isDead: false,
  };
  if (event === 'complained') return [{ kind: 'complained', ...about }];
  return event === 'failed' && severity === 'permanent' ? [{ kind: 'bounced', ...about }] : [];
}

const sesRecipient = z.looseObject({ emailAddress: text, status: text, diagnosticCode: text });
const ses = z.looseObject({
  mail: z.looseObject({
    headers: z.array(z.looseObject({ name: z.string(), value: text })).nullish(),
  }),
  bounce: z
    .looseObject({
      bounceType: text,
      bounceSubType: text,
      bouncedRecipients: z.array(sesRecipient),
    })
    .nullish(),
  complaint: z
    .looseObject({ complainedRecipients: z.array(sesRecipient), complaintFeedbackType: text })
    .nullish(),
});
const SES_DEAD = new Set(['General', 'NoEmail']);

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
export function sesEvent(body: unknown): ProviderReturn[] | null {
  const parsed = ses.safeParse(body);
  if (!parsed.success) return null;
  const { mail, bounce, complaint } = parsed.data;
  const named = mail.headers?.find(({ name }) => name.toLowerCase() === 'message-id');
  const about = (kind: ProviderReturn['kind'], isDead: boolean) => {
    return (recipient: z.output<typeof sesRecipient>): ProviderReturn => ({
      kind,
      messageId: named?.value ?? null,
      recipient: recipient.emailAddress ?? null,
      status: recipient.status ?? null,
      diagnostic: recipient.diagnosticCode ?? '',
      isDead,
    });
  };
  const isDead = bounce?.bounceType === 'Permanent' && SES_DEAD.has(bounce.bounceSubType ?? '');
  const isSpam = complaint?.complaintFeedbackType !== 'not-spam';
  return [
    ...(bounce?.bouncedRecipients ?? []).map(about('bounced', isDead)),
    ...(isSpam ? (complaint?.complainedRecipients ?? []).map(about('complained', false)) : []),
  ];
}
