import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { explainNoEmailAccount } from '#src/billing/plans.ts';
import type { EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { type NewAccount, serverOf } from './account-request.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { type AccountRecord, findAccount, sealedFor } from '#src/email/accounts.ts';
import { assertWithinPlan } from '#src/email/daily-limit.ts';
import { assertZoneIsStored } from './stored-zone.ts';
import { vetSmtpServer } from './vet-smtp-server.ts';

type AccountServices = Pick<EmailServices, 'config' | 'db' | 'http' | 'secrets'>;

/**
 * Creates an unverified sender account. The first account of a workspace becomes its default.
 * @throws Problem BAD_REQUEST for an invalid server, zone or limit, UNAUTHORIZED when the plan allows no more accounts
 */
export async function createAccount(
  services: AccountServices,
  workspaceId: WorkspaceId,
  request: NewAccount,
  signal: AbortSignal,
): Promise<{ account: AccountRecord; verificationToken: string }> {
  const { config, db, http, secrets } = services;
  const server = await vetSmtpServer(http.guard, serverOf(request), {
    allowPort25: config.SMTP_ALLOW_PORT_25,
    signal,
  });
  await assertZoneIsStored(db, request.time_zone);
  const id = randomUUID() as EmailAccountId; // a new row's id is branded at its source
  const verificationToken = randomBytes(24).toString('base64url');
  const password = secrets.seal(request.smtp_password, sealedFor(id));
  const account = await db.transaction().execute(async (trx) => {
    const { plan_tier: plan } = await lockWorkspace(trx, workspaceId);
    assertWithinPlan(request.daily_limit, plan);
    const isFirst = await assertRoom(trx, workspaceId, plan);
    await trx
      .insertInto('email_account')
      .values({
        id,
        workspace_id: workspaceId,
        email: request.email,
        from_name: request.from_name ?? '',
        smtp_host: server.host,
        smtp_port: server.port,
        smtp_user: request.smtp_user ?? request.email,
        smtp_password: password,
        verification_token: verificationToken,
        is_default: isFirst,
        daily_limit: request.daily_limit ?? null,
        time_zone: request.time_zone,
      })
      .execute();
    return findAccount(trx, { workspaceId, id });
  });
  return { account, verificationToken };
}

/** @returns whether the new account is the first */
async function assertRoom(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  plan: PlanTier,
): Promise<boolean> {
  const { rows } = await sql<{ taken: number }>`
    select count(*)::int as taken from email_account where workspace_id = ${workspaceId}`.execute(
    trx,
  );
  const taken = rows[0]?.taken ?? 0;
  const refusal = explainNoEmailAccount(plan, taken);
  if (refusal !== null) throw new Problem('UNAUTHORIZED', refusal);
  return taken === 0;
}
