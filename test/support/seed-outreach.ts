import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

/** A scrape with its site and lead, a do-not-contact entry, and a sender account with a message. Nothing is due. */
export interface SeededOutreach {
  scrapeId: string;
  leadId: string;
  leadEmail: string;
  doNotContactId: number;
  emailAccountId: string;
  /** A sent verification of the account. */
  verificationId: string;
  sentMessageId: string;
  /** Serves all accounts; not due. */
  bounceMailboxId: string;
}

type Store = Pick<Services, 'db' | 'secrets'>;

interface Owner {
  workspaceId: WorkspaceId;
  /** Appears in every text. */
  marker: string;
}

export async function seedOutreach(services: Store, owner: Owner): Promise<SeededOutreach> {
  const { db } = services;
  const { workspaceId, marker } = owner;
  const scrapeId = randomUUID();
  const leadEmail = `lead@${marker}.test`;
  await sql`insert into lead_scrape (id, workspace_id, mode, query, max_results, enrichment,
      share_key, status, searched, pages_done, leads_found, finished_at, processing_time_ms)
    values (${scrapeId}, ${workspaceId}, 'scrape_url', ${`https://${marker}.test/`}, 25, '{email}',
      ${marker}, 'completed', true, 1, 1, now(), 12)`.execute(db);
  await sql`insert into lead_scrape_site (lead_scrape_id, ordinal, workspace_id, url, domain, status, pages)
    values (${scrapeId}, 0, ${workspaceId}, ${`https://${marker}.test/`}, ${`${marker}.test`}, 'done', 1)`.execute(
    db,
  );
  const leadId = await insertLead(services, owner, { scrapeId, leadEmail });
  const { rows } = await sql<{ id: number }>`
    insert into do_not_contact (workspace_id, kind, value, reason)
    values (${workspaceId}, 'email', ${`quiet@${marker}.test`}, 'manual') returning id`.execute(db);
  const emailAccountId = await insertEmailAccount(services, owner);
  const verificationId = await insertMessage(services, owner, emailAccountId, 'verification');
  const sentMessageId = await insertMessage(services, owner, emailAccountId, 'message');
  await insertReturned(services, owner, emailAccountId);
  const bounceMailboxId = await insertBounceMailbox(services, owner);
  return {
    scrapeId,
    leadId,
    leadEmail,
    doNotContactId: rows[0]?.id ?? 0,
    emailAccountId,
    verificationId,
    sentMessageId,
    bounceMailboxId,
  };
}

async function insertLead(
  { db }: Store,
  { workspaceId, marker }: Owner,
  { scrapeId, leadEmail }: { scrapeId: string; leadEmail: string },
): Promise<string> {
  const id = randomUUID();
  const value = (text: string) => ({
    value: text,
    evidence: [{ url: `https://${marker}.test/`, technique: 'mailto' }],
  });
  const lead = {
    kind: 'person',
    name: value(`Lead ${marker}`),
    title: null,
    company: null,
    emails: [value(leadEmail)],
    phones: [],
    linkedin: [],
    twitter: [],
    website: null,
    description: null,
    address: null,
    siteDomain: `${marker}.test`,
    confidence: 0.85,
    emailStatus: null,
  };
  await sql`insert into lead (id, workspace_id, lead_scrape_id, site_ordinal, kind, name, email,
      confidence_score, emails, domains, details, rank)
    values (${id}, ${workspaceId}, ${scrapeId}, 0, 'person', ${`Lead ${marker}`}, ${leadEmail}, 0.85,
      ${[leadEmail]}, ${[`${marker}.test`]}, ${JSON.stringify(lead)}, 0)`.execute(db);
  return id;
}

async function insertEmailAccount(
  { db, secrets }: Store,
  { workspaceId, marker }: Owner,
): Promise<string> {
  const id = randomUUID();
  const password = secrets.seal(`password of ${marker}`, `email_account:${id}`);
  await sql`insert into email_account (id, workspace_id, email, from_name, smtp_host, smtp_port,
      smtp_user, smtp_password, verified, verified_at, verification_token, is_default)
    values (${id}, ${workspaceId}, ${`sender@${marker}.test`}, ${marker}, ${`smtp.${marker}.test`}, 587,
      ${`sender@${marker}.test`}, ${password}, true, now(), ${`token-${marker}`}, true)`.execute(
    db,
  );
  return id;
}

/** A message that came back. */
async function insertReturned(
  { db }: Store,
  { workspaceId, marker }: Owner,
  accountId: string,
): Promise<void> {
  const id = randomUUID();
  await sql`insert into email_message (id, workspace_id, email_account_id, kind, status, recipient,
      settings_revision, error_class, finished_at)
    values (${id}, ${workspaceId}, ${accountId}, 'message', 'bounced', ${`full@${marker}.test`}, 1,
      'mailbox_full', now())`.execute(db);
  await sql`insert into email_return (email_message_id, workspace_id, kind, cause, status_code,
      is_listed)
    values (${id}, ${workspaceId}, 'bounced', 'mailbox_full', '5.2.2', false)`.execute(db);
}

async function insertBounceMailbox(
  { db, secrets }: Store,
  { workspaceId, marker }: Owner,
): Promise<string> {
  const id = randomUUID();
  const password = secrets.seal(`mailbox of ${marker}`, `bounce_mailbox:${id}`);
  await sql`insert into bounce_mailbox (id, workspace_id, kind, host, port, use_tls, username,
      password, next_poll_at)
    values (${id}, ${workspaceId}, 'imap', ${`imap.${marker}.test`}, 993, true,
      ${`returns@${marker}.test`}, ${password}, now() + interval '1 day')`.execute(db);
  return id;
}

async function insertMessage(
  { db }: Store,
  { workspaceId, marker }: Owner,
  accountId: string,
  kind: 'verification' | 'message',
): Promise<string> {
  const id = randomUUID();
  await sql`insert into email_message (id, workspace_id, email_account_id, kind, status, recipient,
      subject, idempotency_key, settings_revision, finished_at)
    values (${id}, ${workspaceId}, ${accountId}, ${kind}, 'sent', ${`to@${marker}.test`},
      ${kind === 'message' ? `Subject ${marker}` : null},
      ${kind === 'message' ? `send-${marker}` : null}, 1, now())`.execute(db);
  return id;
}
