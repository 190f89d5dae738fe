import { judgeBounce } from './judge-bounce.ts';
import { decodeXtext, readReportAddress } from './report-address.ts';
import { readFieldGroups, type ReportFields } from './report-fields.ts';
import type { BounceVerdict, ReportedRecipient } from './reported-return.ts';

export interface FailedRecipient extends BounceVerdict {
  recipient: ReportedRecipient;
}

export interface DeliveryStatus {
  envelopeId: string | null;
  /** Recipients whose delivery failed for good, not those delayed, relayed or delivered. */
  failed: FailedRecipient[];
}

/**
 * The machine-readable part of a delivery status notification.
 * https://www.rfc-editor.org/rfc/rfc3464
 */
export function readDeliveryStatus(text: string): DeliveryStatus {
  const groups = readFieldGroups(text);
  const envelopeId = groups
    .map((fields) => fields.get('original-envelope-id'))
    .find((id) => id !== undefined);
  return {
    envelopeId: envelopeId === undefined ? null : decodeXtext(envelopeId),
    failed: groups.filter(isFailure).map(readRecipient),
  };
}

/** Some servers put the fields of the message and of its only recipient into one group. */
function isFailure(fields: ReportFields): boolean {
  const names = fields.has('final-recipient') || fields.has('original-recipient');
  return names && /^failed\b/i.test(fields.get('action') ?? '');
}

function readRecipient(fields: ReportFields): FailedRecipient {
  const diagnostic = fields.get('diagnostic-code')?.replace(/^[\w-]{1,40}[ \t]*;/, '') ?? '';
  return {
    recipient: {
      final: readReportAddress(fields.get('final-recipient')),
      original: readReportAddress(fields.get('original-recipient')),
    },
    ...judgeBounce({ status: fields.get('status') ?? null, diagnostic }),
  };
}
