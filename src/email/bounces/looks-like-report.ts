import { readFields } from './report-fields.ts';

/** The fields that distinguish reports from other mail. */
export const TELLTALE_FIELDS = [
  'content-type',
  'from',
  'return-path',
  'auto-submitted',
  'x-failed-recipients',
] as const;

/**
 * Whether these header fields may belong to a report. Only such messages are fetched: the mailbox may be a person's
 * own, and personal mail is not ours to read.
 */
export function looksLikeReport(header: string): boolean {
  const fields = readFields(header);
  const type = fields.get('content-type')?.toLowerCase() ?? '';
  if (/^multipart\/report|^message\/(?:global-)?(?:delivery-status|feedback-report)/.test(type)) {
    return true;
  }
  if (fields.has('x-failed-recipients') || fields.get('return-path') === '<>') return true;
  return /\b(?:mailer-daemon|postmaster)@/i.test(fields.get('from') ?? '');
}
