import { createHash } from 'node:crypto';
import type { WorkspaceId } from '#src/ids.ts';
import { type ProviderLimit, providerLimitOf } from './provider-limits.ts';
import { asciiHost } from './smtp-address.ts';

/** The sender whose pace a message follows. */
export interface PacedSender {
  workspace_id: WorkspaceId;
  smtp_host: string;
  smtp_user: string;
}

/**
 * Identifies an SMTP user at its server, across workspaces: the provider counts all its messages, whichever account
 * sends them. A user name that is not an address, such as SendGrid's `apikey`, is shared by many customers, so its pace
 * is per workspace. Hashed, because the row belongs to no workspace.
 */
export function paceKeyOf({ workspace_id, smtp_host, smtp_user }: PacedSender): string {
  const limit = paceLimitOf({ smtp_host, smtp_user });
  const server = limit?.provider ?? asciiHost(smtp_host).toLowerCase();
  const owner = smtp_user.includes('@') ? null : workspace_id;
  const name = JSON.stringify([server, smtp_user.toLowerCase(), owner]);
  return createHash('sha256').update(name).digest('hex');
}

export function paceLimitOf({
  smtp_host: host,
  smtp_user: user,
}: Omit<PacedSender, 'workspace_id'>): ProviderLimit | null {
  return providerLimitOf({ host, user });
}

export function pacedSenderOf({
  workspace_id,
  account: { smtp_host, smtp_user },
}: {
  workspace_id: WorkspaceId;
  account: Omit<PacedSender, 'workspace_id'>;
}): PacedSender {
  return { workspace_id, smtp_host, smtp_user };
}
