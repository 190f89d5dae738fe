import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EmailAccountId, WorkspaceId } from '#src/ids.ts';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import { sealedFor } from './accounts.ts';
import type { EmailServices } from './email-services.ts';
import { resumeSending } from './resume-sending.ts';

export interface ServiceMessage {
  to: string;
  subject: string;
  text: string;
}

interface OperatorSender {
  id: EmailAccountId;
  workspace_id: WorkspaceId;
  email: string;
  from_name: string;
  smtp_host: string;
  smtp_port: number;
  smtp_user: string;
  smtp_password: string;
}

/** Longer than the mailer takes by itself. */
const DEADLINE_MS = 30_000;

type SendServices = Pick<EmailServices, 'clock' | 'db' | 'log' | 'mailer' | 'producer' | 'secrets'>;

export interface ServiceMail {
  canSend(): Promise<boolean>;
  /** Whether the server has accepted it. */
  send(message: ServiceMessage): Promise<boolean>;
}

/**
 * Messages of the service itself, such as a password reset, through the sender account of the operator: the default one
 * of the operator's workspace, else the oldest that is verified. They leave no row and are not retried, because they
 * carry a token that nobody else may read; who misses one asks for another.
 */
export function createServiceMail(services: SendServices): ServiceMail {
  return {
    canSend: async () => (await findOperatorSender(services)) !== null,
    send: (message) => sendServiceMail(services, message),
  };
}

async function sendServiceMail(
  services: SendServices,
  { to, subject, text }: ServiceMessage,
): Promise<boolean> {
  const sender = await findOperatorSender(services);
  if (sender === null) return false;
  const password = openPassword(services, sender);
  if (password === null) return false;
  const { smtp_host: host, smtp_port: port, smtp_user: user } = sender;
  const outcome = await services.mailer.send(
    { host, port, user, password },
    {
      from: { name: sender.from_name, address: sender.email },
      to,
      replyTo: null,
      subject,
      text,
      html: null,
      messageId: `<${randomUUID()}@${sender.email.split('@').at(-1) ?? 'localhost'}>`,
      date: services.clock(),
      // RFC 3834 section 5: so that nobody's absence note answers it.
      headers: { 'Auto-Submitted': 'auto-generated' },
    },
    { beforeData: () => Promise.resolve(), signal: AbortSignal.timeout(DEADLINE_MS) },
  );
  if (outcome.kind === 'sent') {
    await resumeSending(services, sender);
    return true;
  }
  services.log.warn(
    { senderId: sender.id, reason: outcome.message },
    'a mail of the service was not sent',
  );
  return false;
}

async function findOperatorSender({
  db,
}: Pick<EmailServices, 'db'>): Promise<OperatorSender | null> {
  const { rows } = await sql<OperatorSender>`
    select a.id, a.workspace_id, a.email, a.from_name, a.smtp_host, a.smtp_port, a.smtp_user, a.smtp_password
    from email_account a join workspace w on w.id = a.workspace_id
    where w.is_bootstrap and a.verified
    order by a.is_default desc, a.created_at, a.id limit 1`.execute(db);
  return rows[0] ?? null;
}

function openPassword({ secrets, log }: SendServices, { id, smtp_password }: OperatorSender) {
  try {
    return secrets.open(smtp_password, sealedFor(id));
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    log.warn({ senderId: id, reason: error.message }, 'a mail of the service was not sent');
    return null;
  }
}
