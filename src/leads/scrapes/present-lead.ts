import { z } from 'zod';
import { TECHNIQUES } from '#src/leads/extract/contact-card.ts';
import type { Evidenced } from '#src/leads/merge/lead-draft.ts';
import type { Enrichment } from '#src/tables/leads.ts';
import type { StoredLead } from './lead-rows.ts';

export const leadSchema = z
  .object({
    id: z.string(),
    name: z
      .string()
      .describe('Of the person or the organisation. What is not known is an empty string.'),
    title: z.string().describe("The person's role."),
    company: z.string(),
    email: z.string(),
    phone: z.string().describe('E.164.'),
    website: z.string(),
    socials: z.object({ linkedin: z.string(), twitter: z.string() }),
    other_socials: z
      .object({ facebook: z.string(), instagram: z.string() })
      .optional()
      .describe('Only when `enrichment` asks for them.'),
    found_on: z
      .string()
      .optional()
      .describe(
        "Domain of the site that lists this organisation or this person's employer; null if found on its own site.",
      ),
    confidence_score: z.number().min(0).max(1),
  })
  .meta({ id: 'Lead' });

const sourceSchema = z.object({ url: z.string(), technique: z.enum(TECHNIQUES) });
const valueSchema = z.object({ value: z.string(), sources: z.array(sourceSchema) });

const SINGLE_FIELDS = ['name', 'title', 'company', 'website', 'description'] as const;
const LIST_FIELDS = {
  email: 'emails',
  phone: 'phones',
  linkedin: 'linkedin',
  twitter: 'twitter',
} as const;
const OTHER_NETWORKS = ['facebook', 'instagram'] as const;

/** A lead with everything that was found, and the source of each value. */
export const leadDetailsSchema = leadSchema.extend({
  kind: z.enum(['person', 'organization']),
  email_status: z
    .enum(['mx', 'no_mx', 'unknown'])
    .nullable()
    .describe(
      'Whether the domain of the address takes mail; no mailbox is asked. Null when it was not looked up.',
    ),
  address: z
    .object({
      street: z.string(),
      postal_code: z.string(),
      locality: z.string(),
      region: z.string(),
      country: z.string(),
    })
    .nullable(),
  email_pattern: z
    .object({ pattern: z.string(), examples: z.array(z.string()) })
    .nullable()
    .describe(
      "The form of the organisation's personal addresses, with examples. Not an address to write to.",
    ),
  evidence: z
    .record(z.string(), z.array(valueSchema))
    .describe(
      'For each field its values, the best first, each with the pages and techniques that it was found by.',
    ),
});

export function presentLead(
  { id, lead }: StoredLead,
  wants: readonly Enrichment[],
): z.input<typeof leadSchema> {
  return {
    id,
    name: lead.name?.value ?? '',
    title: lead.title?.value ?? '',
    company: lead.company?.value ?? '',
    email: lead.emails[0]?.value ?? '',
    phone: lead.phones[0]?.value ?? '',
    website: lead.website?.value ?? '',
    socials: {
      linkedin: lead.linkedin[0]?.value ?? '',
      twitter: lead.twitter[0]?.value ?? '',
    },
    ...(wants.includes('other_socials') && {
      other_socials: {
        facebook: lead.otherSocials.facebook[0]?.value ?? '',
        instagram: lead.otherSocials.instagram[0]?.value ?? '',
      },
    }),
    ...(lead.foundOn !== null && { found_on: lead.foundOn }),
    confidence_score: lead.confidence,
  };
}

export function presentLeadDetails(
  row: StoredLead,
  wants: readonly Enrichment[],
): z.input<typeof leadDetailsSchema> {
  const { lead } = row;
  const values: [string, Evidenced[]][] = [
    ...SINGLE_FIELDS.map((field): [string, Evidenced[]] => [
      field,
      [lead[field]].filter((one) => one !== null),
    ]),
    ...Object.entries(LIST_FIELDS).map(([name, field]): [string, Evidenced[]] => [
      name,
      lead[field],
    ]),
    ...OTHER_NETWORKS.map((network): [string, Evidenced[]] => [
      network,
      lead.otherSocials[network],
    ]),
  ];
  const evidence = Object.fromEntries(
    values
      .filter(([, found]) => found.length > 0)
      .map(([name, found]) => [
        name,
        found.map(({ value, evidence: sources }) => ({ value, sources })),
      ]),
  );
  if (lead.address) evidence['address'] = [{ value: '', sources: lead.address.evidence }];
  return {
    ...presentLead(row, wants),
    kind: lead.kind,
    email_status: lead.emailStatus,
    address: lead.address && {
      street: lead.address.street,
      postal_code: lead.address.postalCode,
      locality: lead.address.locality,
      region: lead.address.region,
      country: lead.address.country,
    },
    email_pattern: lead.emailPattern,
    evidence,
  };
}
