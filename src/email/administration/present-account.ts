import { z } from 'zod';
import type { AccountRecord } from '#src/email/accounts.ts';
import {
  type Deliverability,
  deliverabilitySchema,
} from '#src/email/deliverability/deliverability.ts';
import { dailyLimitOf } from '#src/email/daily-limit.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { readSendingPaces, type SendingPace, sendingPaceSchema } from './sending-pace.ts';

/** Never includes the password. */
export const accountSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    verified: z.boolean().describe('A test message went out with the settings that it has.'),
    default: z.boolean().describe('The sender of outreach that names none.'),
    created_at: z.iso.datetime(),
    daily_limit: z
      .int()
      .describe('Messages a day: what was set, and never more than the plan allows.'),
    daily_sent: z.int().describe('Today, verifications among them.'),
    from_name: z.string(),
    smtp_host: z.string(),
    smtp_port: z.int(),
    smtp_user: z.string(),
    time_zone: z.string().describe('IANA name; the days of the account begin and end by it.'),
    daily_resets_at: z.iso.datetime().describe('When daily_sent is 0 again.'),
    verified_at: z.iso.datetime().nullable(),
    deliverability: deliverabilitySchema
      .nullable()
      .describe(
        'SPF, DKIM and DMARC of the sender’s domain as of the last verification, with what to publish. Null before the first.',
      ),
    sending_pace: sendingPaceSchema,
  })
  .meta({ id: 'EmailAccount' });

type PresentedAccount = z.input<typeof accountSchema>;

export async function presentAccounts(
  db: Database,
  workspaceId: WorkspaceId,
  accounts: readonly AccountRecord[],
): Promise<PresentedAccount[]> {
  const paceOf = await readSendingPaces(db, workspaceId, accounts);
  return accounts.map((account) => present(account, paceOf(account)));
}

export async function presentAccount(
  db: Database,
  workspaceId: WorkspaceId,
  account: AccountRecord,
): Promise<PresentedAccount> {
  const paceOf = await readSendingPaces(db, workspaceId, [account]);
  return present(account, paceOf(account));
}

function present(account: AccountRecord, pace: SendingPace): PresentedAccount {
  return {
    id: account.id,
    email: account.email,
    verified: account.verified,
    default: account.is_default,
    created_at: account.created_at.toISOString(),
    daily_limit: dailyLimitOf(account),
    daily_sent: account.sent_today,
    from_name: account.from_name,
    smtp_host: account.smtp_host,
    smtp_port: account.smtp_port,
    smtp_user: account.smtp_user,
    time_zone: account.time_zone,
    daily_resets_at: account.resets_at.toISOString(),
    verified_at: account.verified_at?.toISOString() ?? null,
    deliverability: deliverabilityOf(account),
    sending_pace: pace,
  };
}

function deliverabilityOf({
  deliverability: found,
  deliverability_at: at,
}: AccountRecord): Deliverability | null {
  if (found === null || at === null) return null;
  // Another version may have written another shape.
  const parsed = storedSchema.safeParse(found);
  return parsed.success ? { ...parsed.data, checked_at: at.toISOString() } : null;
}

const storedSchema = deliverabilitySchema.omit({ checked_at: true });
