import { sql } from 'kysely';
import { z } from 'zod';
import type { AccountRecord } from '#src/email/accounts.ts';
import { paceKeyOf, paceLimitOf } from '#src/email/pace-key.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

export const sendingPaceSchema = z
  .object({
    provider: z
      .string()
      .nullable()
      .describe(
        'The provider whose published limits apply; null when none are known for this server.',
      ),
    per_minute: z
      .int()
      .nullable()
      .describe('Messages that the provider accepts from one SMTP user.'),
    per_hour: z.int().nullable(),
    per_day: z.int().nullable().describe('Within any 24 hours.'),
    sent_24h: z
      .int()
      .nullable()
      .describe(
        'Messages that this SMTP user sent within 24 hours, through all its accounts; null when the provider has no daily limit or the account is not verified.',
      ),
    next_send_at: z.iso
      .datetime()
      .nullable()
      .describe('When a message requested now would be sent; null when at once.'),
    paused: z
      .boolean()
      .describe(
        'Whether sending is paused because the provider reported a reached limit. A successful verification ends the pause.',
      ),
  })
  .meta({
    id: 'SendingPace',
    description: "The provider's sending limits. Messages wait to stay within them.",
  });

export type SendingPace = z.input<typeof sendingPaceSchema>;

interface PaceState {
  pace_key: string;
  next_send_at: Date | null;
  is_paused: boolean;
  sent: number;
}

/**
 * Reads the paces of accounts. Unverified accounts get only the published limits, because nothing proves that the SMTP
 * user is theirs.
 * @returns the pace of each account
 */
export async function readSendingPaces(
  db: Database,
  workspaceId: WorkspaceId,
  accounts: readonly AccountRecord[],
): Promise<(account: AccountRecord) => SendingPace> {
  const keyOf = (account: AccountRecord): string =>
    paceKeyOf({ ...account, workspace_id: workspaceId });
  const keys = accounts.filter(({ verified }) => verified).map(keyOf);
  const states = await readStates(db, keys);
  return (account) => present(account, account.verified ? states.get(keyOf(account)) : undefined);
}

async function readStates(
  db: Database,
  paceKeys: readonly string[],
): Promise<ReadonlyMap<string, PaceState>> {
  if (paceKeys.length === 0) return new Map();
  const { rows } = await sql<PaceState>`
    select pace_key, strikes > 0 and next_send_at > now() as is_paused,
      case when greatest(next_send_at, line_end_at) > now()
        then greatest(next_send_at, line_end_at) end as next_send_at,
      coalesce((select sum(sent) from smtp_pace_hour one where one.pace_key = pace.pace_key
        and hour > now() - interval '25 hours' and hour <= now()), 0)::int as sent
    from smtp_pace pace where pace_key = any(${paceKeys}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.pace_key, row]));
}

function present(account: AccountRecord, state: PaceState | undefined): SendingPace {
  const limit = paceLimitOf(account);
  const perDay = limit?.perDay ?? null;
  return {
    provider: limit?.provider ?? null,
    per_minute: limit?.perMinute ?? null,
    per_hour: limit?.perHour ?? null,
    per_day: perDay,
    sent_24h: perDay === null || !account.verified ? null : (state?.sent ?? 0),
    next_send_at: state?.next_send_at?.toISOString() ?? null,
    paused: state?.is_paused ?? false,
  };
}
