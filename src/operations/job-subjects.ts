import type { JobSubject } from '#src/tables/operations.ts';

/** What the ids in payloads name. */
const KINDS: Readonly<Record<string, string>> = {
  documentIds: 'document',
  ccPairId: 'connector',
  endpointId: 'endpoint',
  scrapeId: 'scrape',
  verificationId: 'message',
  messageId: 'message',
  userFileId: 'file',
};
const MAX_SUBJECTS = 10;

/** The rows that a job is about, by its payload; at most 10. Payloads of older versions have none. */
export function subjectsOf(payload: unknown): JobSubject[] {
  if (typeof payload !== 'object' || payload === null) return [];
  const subjects = Object.entries(payload).flatMap(([field, value]: [string, unknown]) => {
    const kind = KINDS[field];
    const ids: unknown[] = Array.isArray(value) ? value : [value];
    return kind === undefined ? [] : ids.map((id) => ({ kind, id: String(id) }));
  });
  return subjects.slice(0, MAX_SUBJECTS);
}
