import { unfoldHeader } from '#src/platform/mail-header.ts';

/** Values by lower-case name. The first of several fields with one name counts. */
export type ReportFields = ReadonlyMap<string, string>;

/** Our messages have one recipient each, so a report with more groups is not about one of them. */
const MAX_GROUPS = 200;
const MAX_FIELDS = 200;
const MAX_VALUE_LENGTH = 2_000;

/** Groups of header fields, separated by blank lines (RFC 3464 section 2.1). */
export function readFieldGroups(text: string): ReportFields[] {
  return text
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n[ \t]*\n/, MAX_GROUPS)
    .map(readFields)
    .filter((fields) => fields.size > 0);
}

/** The fields of a header block. Other lines are skipped. */
export function readFields(block: string): ReportFields {
  const fields = new Map<string, string>();
  for (const line of unfoldHeader(block).split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!/^[a-z0-9-]+$/.test(name) || fields.has(name)) continue;
    fields.set(name, line.slice(colon + 1, colon + 1 + MAX_VALUE_LENGTH).trim());
    if (fields.size >= MAX_FIELDS) break;
  }
  return fields;
}

/** The headers of a message: everything before its first blank line. */
export function headerBlockOf(message: string): string {
  const end = /\r?\n[ \t]*\r?\n/.exec(message)?.index ?? message.length;
  return message.slice(0, end);
}
