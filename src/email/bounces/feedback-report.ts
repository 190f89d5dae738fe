import { decodeXtext } from './report-address.ts';
import { readFieldGroups } from './report-fields.ts';

/** `opt-out` was dropped from the RFC, but is still sent. */
const COMPLAINTS: ReadonlySet<string> = new Set([
  'abuse',
  'fraud',
  'virus',
  'other',
  'opt-out',
  'opt-out-list',
]);

/**
 * The machine-readable part of a report in the Abuse Reporting Format. Null when it is not a complaint: `not-spam` says
 * the opposite, and `auth-failure` (RFC 6591) is about authentication.
 * https://www.rfc-editor.org/rfc/rfc5965
 */
export function readFeedback(text: string): { envelopeId: string | null } | null {
  const groups = readFieldGroups(text);
  const valueOf = (name: string): string | undefined =>
    groups.map((fields) => fields.get(name)).find((value) => value !== undefined);
  if (!COMPLAINTS.has(valueOf('feedback-type')?.toLowerCase() ?? '')) return null;
  const envelopeId = valueOf('original-envelope-id');
  return { envelopeId: envelopeId === undefined ? null : decodeXtext(envelopeId) };
}
