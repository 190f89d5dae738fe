import { z } from 'zod';
import { DO_NOT_CONTACT_REASONS } from '#src/tables/outreach.ts';
import { parseDomain, parseEmailAddress } from './contact-patterns.ts';
import type { DoNotContactEntry, StoredDoNotContact } from './do-not-contact.ts';

const MAX_NAMED = 1_000;
const MAX_NOTE_LENGTH = 500;
const MAX_PAGE = 200;
const PAGE = 50;
const CURSOR = /^before:(\d{1,15})$/;

const emails = z
  .array(parsed(parseEmailAddress, 'must be one e-mail address such as jane@acme.example'))
  .max(MAX_NAMED)
  .nullish()
  .transform((values) => values ?? [])
  .describe('Addresses, in upper or lower case.');
const domains = z
  .array(parsed(parseDomain, 'must be a domain such as acme.example'))
  .max(MAX_NAMED)
  .nullish()
  .transform((values) => values ?? [])
  .describe('Domains; each stands for its subdomains, and for every address at them.');

function parsed(parse: (text: string) => string | null, expectation: string) {
  return z.string().transform((text, context) => {
    const value = parse(text.trim());
    if (value !== null) return value.toLowerCase();
    context.addIssue(expectation);
    return z.NEVER;
  });
}

const namesSomebody = (value: { emails: string[]; domains: string[] }): boolean =>
  value.emails.length + value.domains.length > 0;
const NOBODY = 'names nobody: send emails or domains';
const namesFew = (value: { emails: string[]; domains: string[] }): boolean =>
  value.emails.length + value.domains.length <= MAX_NAMED;
const MANY = `names more than ${MAX_NAMED} emails and domains: send several requests`;

export const newEntriesSchema = z
  .strictObject({
    emails,
    domains,
    note: z
      .string()
      .max(MAX_NOTE_LENGTH)
      .refine((text) => !/\0|\p{Cs}/u.test(text), 'must not hold NUL or half surrogate pairs')
      .nullish(),
  })
  .refine(namesSomebody, NOBODY)
  .refine(namesFew, MANY)
  .meta({ id: 'NewDoNotContact' });

export const erasureSchema = z
  .strictObject({
    emails,
    domains,
    do_not_contact: z
      .boolean()
      .default(true)
      .describe('Whether they are also put on the do-not-contact list.'),
  })
  .refine(namesSomebody, NOBODY)
  .refine(namesFew, MANY)
  .meta({ id: 'Erasure' });

export const entriesQuerySchema = z.strictObject({
  kind: z.enum(['email', 'domain']).optional(),
  reason: z.enum(DO_NOT_CONTACT_REASONS).optional(),
  value: z
    .string()
    .max(300)
    .transform((text) => text.trim())
    .transform((text) => (parseEmailAddress(text) ?? parseDomain(text) ?? text).toLowerCase())
    .optional()
    .describe('The address or domain itself.'),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
  cursor: z
    .string()
    .transform((text) => CURSOR.exec(Buffer.from(text, 'base64url').toString())?.[1])
    .refine((id) => id !== undefined, 'must be the next_cursor of an earlier page')
    .transform(Number)
    .optional(),
});

export function encodeEntriesCursor(before: number): string {
  return Buffer.from(`before:${before}`).toString('base64url');
}

export const entrySchema = z
  .object({
    id: z.int(),
    kind: z.enum(['email', 'domain']),
    value: z.string(),
    reason: z
      .enum(DO_NOT_CONTACT_REASONS)
      .describe(
        'manual: added here. erased: by POST /privacy/erase. unsubscribed: by the recipient. bounced: the address does not exist. complained: the recipient reported a message as unwanted.',
      ),
    note: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'DoNotContact' });

export function presentEntry(entry: StoredDoNotContact): z.input<typeof entrySchema> {
  const { id, kind, value, reason, note, created_at } = entry;
  return { id, kind, value, reason, note, created_at: created_at.toISOString() };
}

/** Deduplicated entries. */
export function entriesOf(named: { emails: string[]; domains: string[] }): DoNotContactEntry[] {
  return [
    ...[...new Set(named.emails)].map((value) => ({ kind: 'email' as const, value })),
    ...[...new Set(named.domains)].map((value) => ({ kind: 'domain' as const, value })),
  ];
}
