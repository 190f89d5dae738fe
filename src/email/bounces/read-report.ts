import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { messageIdOf } from '#src/platform/mail-header.ts';
import { readDeliveryStatus } from './delivery-status.ts';
import { readFeedback } from './feedback-report.ts';
import { readPlainBounce } from './plain-bounces.ts';
import { headerBlockOf } from './report-fields.ts';
import type { ReportedMessage, ReportedReturn } from './reported-return.ts';

/** Far more than the three parts of a report. */
const MAX_NESTING = 20;
const MAX_HEADER_BYTES = 256 * 1024;
/** Only this much of the returned message is read; its headers come first. */
const MAX_ORIGINAL_BYTES = 128 * 1024;

/**
 * Reads which messages came back or were complained about. Empty for mail that is not a machine-readable report, such
 * as an automatic reply. A report may be truncated anywhere after its machine-readable part.
 * @throws any error of the parser; call it in a guarded process
 */
export async function readReport(source: Uint8Array): Promise<ReportedReturn[]> {
  const email = await PostalMime.parse(source, {
    // Otherwise the parser would merge the returned message into the text.
    forceRfc822Attachments: true,
    maxRfc822NestingDepth: 0,
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADER_BYTES,
  });
  const status = textOf(email, STATUS);
  if (status !== null) {
    const { envelopeId, failed } = readDeliveryStatus(status);
    const message = { messageIds: messageIdsOf(email), envelopeId };
    return failed.map((recipient) => ({ kind: 'bounced', ...message, ...recipient }));
  }
  const feedback = textOf(email, FEEDBACK);
  if (feedback !== null) {
    const complaint = readFeedback(feedback);
    if (complaint === null) return [];
    const recipient = { final: null, original: null };
    const message = { messageIds: messageIdsOf(email), recipient, ...complaint };
    return [{ kind: 'complained', ...message, statusCode: null, cause: 'complaint' }];
  }
  return readDialect(email);
}

const STATUS = /^message\/(?:global-)?delivery-status$/;
const FEEDBACK = /^message\/feedback-report$/;
/** The returned message or its headers (RFC 6522, RFC 6533). */
const ORIGINAL =
  /^(?:message\/(?:rfc822|global|global-headers|rfc822-headers)|text\/rfc822-headers)$/;

function readDialect(email: Email): ReportedReturn[] {
  const bounce = readPlainBounce(email.text ?? '');
  if (bounce === null) return [];
  const id = messageIdOf(headerBlockOf(bounce.original));
  const message: ReportedMessage = { messageIds: id === null ? [] : [id], envelopeId: null };
  return bounce.failed.map((recipient) => ({ kind: 'bounced', ...message, ...recipient }));
}

/**
 * The id in the headers of the returned message. Reports without them may name the message in their own `In-Reply-To`
 * or `References`.
 */
function messageIdsOf(email: Email): string[] {
  const original = textOf(email, ORIGINAL);
  const id = original === null ? null : messageIdOf(headerBlockOf(original));
  if (id !== null) return [id];
  const answered = `${email.inReplyTo ?? ''} ${email.references ?? ''}`.slice(0, 4_000);
  const ids = [...answered.matchAll(/<([^<>\s]{1,500})>/g)].map(([, one = '']) => one);
  return [...new Set(ids)].slice(0, MAX_IDS);
}

const MAX_IDS = 5;

/** The text of the first part that matches a type. */
function textOf(email: Email, type: RegExp): string | null {
  const part = email.attachments.find(({ mimeType }) => type.test(mimeType.toLowerCase()));
  return part === undefined ? null : contentOf(part);
}

function contentOf({ content }: Attachment): string {
  if (typeof content === 'string') return content.slice(0, MAX_ORIGINAL_BYTES);
  return new TextDecoder().decode(content.slice(0, MAX_ORIGINAL_BYTES));
}
