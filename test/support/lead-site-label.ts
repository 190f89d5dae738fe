import { z } from 'zod';

const text = z
  .string()
  .min(1)
  .refine((value) => value === value.trim(), 'Take the spaces at its ends away');
const texts = z.array(text);
const headers = z.record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'Write it in small letters'), text);

/** An unconditional response: a file, a status, or both. */
const plainAnswer = z
  .strictObject({
    file: text.optional(),
    status: z.int().min(200).max(599).optional(),
    headers: headers.optional(),
  })
  .refine(
    ({ file, status }) => file !== undefined || status !== undefined,
    'Name a file or status',
  );

/** A file for requests with the cookie, and another response for all others. */
const guardedAnswer = z.strictObject({
  file: text,
  headers: headers.optional(),
  requires_cookie: z.string().regex(/^[^=;\s]+=[^;\s]*$/, 'Write it as name=value'),
  otherwise: plainAnswer,
});

const email = z
  .email()
  .refine((value) => value === value.toLowerCase(), 'Write it in small letters');
const phone = z.string().regex(/^\+[1-9][0-9]{6,14}$/, 'Write it as E.164, such as +4930123456');
const profile = z.url({ protocol: /^https$/ }).nullable();

const personSchema = z.strictObject({
  /** The most frequent spelling comes first; the others are accepted too. */
  names: texts.min(1),
  titles: texts,
  email: email.nullable(),
  phone: phone.nullable(),
  /** Such as a mobile number besides that of the desk. */
  further_emails: z.array(email).default([]),
  further_phones: z.array(phone).default([]),
  linkedin: profile,
  twitter: profile,
});

const organizationSchema = z.strictObject({
  names: texts.min(1),
  emails: z.array(email),
  phones: z.array(phone),
  linkedin: profile,
  twitter: profile,
  facebook: profile,
  instagram: profile,
});

const memberSchema = z.strictObject({
  names: texts.min(1),
  domain: z
    .string()
    .regex(/^(?!www\.)[a-z0-9.-]+\.(example|test)$/, 'Name a .example or .test domain without www.')
    .nullable(),
  emails: z.array(email),
  phones: z.array(phone),
  persons: z.array(personSchema),
});

/** `site.json` of a labelled site: its server's responses, and the facts that a careful reader finds. */
export const siteLabelSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  kind: z.enum([
    'directory',
    'company',
    'shop-or-restaurant',
    'public-body',
    'association',
    'school',
    'practice',
    'documentation',
    'personal',
    'failing',
  ]),
  split: z.enum(['dev', 'held-out']),
  languages: z.array(z.string().regex(/^[a-z]{2,3}(-[A-Z]{2})?$/)).min(1),
  host: z.string().regex(/^[a-z0-9.-]+\.(example|test)$/, 'Name a .example or .test host'),
  start: z.string().startsWith('/'),
  responses: z.record(z.string().startsWith('/'), z.union([guardedAnswer, plainAnswer])),
  robots: z.string().nullable(),
  organization: organizationSchema.nullable(),
  persons: z.array(personSchema),
  /** Listed organisations with their own contacts. */
  members: z.array(memberSchema),
  expected_state: z.enum(['done', 'partial', 'failed']),
  /** Text that resembles a fact but is not one. */
  traps: texts,
});

export type SiteLabel = z.output<typeof siteLabelSchema>;

type LabelledPerson = SiteLabel['persons'][number];

export function emailsOfPerson({ email, further_emails }: LabelledPerson): string[] {
  return email === null ? further_emails : [email, ...further_emails];
}

export function phonesOfPerson({ phone, further_phones }: LabelledPerson): string[] {
  return phone === null ? further_phones : [phone, ...further_phones];
}
