import { z } from 'zod';

/** `provider`: the domain belongs to a mailbox provider, so its users have nothing to publish. */
const findingStateSchema = z.enum(['pass', 'warn', 'fail', 'unknown', 'provider']);

export const findingSchema = z.object({
  state: findingStateSchema.describe(
    'unknown: the name servers did not answer, or DNS cannot tell. provider: the domain belongs to a mailbox provider, so you have nothing to publish.',
  ),
  record: z.string().nullable().describe('The record as currently published.'),
  publish: z
    .object({
      name: z.string().describe('Full name of the DNS record.'),
      type: z.enum(['TXT', 'CNAME']),
      value: z.string(),
    })
    .nullable()
    .describe(
      'The record to publish, replacing any of the same name. Null: nothing to change, or only the provider knows the record.',
    ),
  advice: z.array(z.string()).describe('What to do and why; empty if nothing.'),
});
export type Finding = z.infer<typeof findingSchema>;

const alignedSchema = z.enum(['aligned', 'not_aligned', 'unknown']);
export type Aligned = z.infer<typeof alignedSchema>;

/** What the DNS records of a sender's domain tell receivers. */
export const deliverabilitySchema = z
  .object({
    domain: z.string(),
    smtp_host: z.string().describe('The SMTP server that the records were checked for.'),
    spf: findingSchema,
    dkim: findingSchema,
    dmarc: findingSchema,
    alignment: z
      .object({ spf: alignedSchema, dkim: alignedSchema, explanation: z.string() })
      .describe('DMARC counts SPF and DKIM only where they pass for the domain of the sender.'),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'Deliverability' });
export type Deliverability = z.infer<typeof deliverabilitySchema>;
