import { sql } from 'kysely';
import type { DoNotContactId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { DoNotContactReason } from '#src/tables/outreach.ts';

/** One address or one domain (with its subdomains) that must not be contacted. In lower case. */
export interface DoNotContactEntry {
  kind: 'email' | 'domain';
  value: string;
}

export interface StoredDoNotContact extends DoNotContactEntry {
  id: DoNotContactId;
  reason: DoNotContactReason;
  note: string;
  created_at: Date;
}

/**
 * Adds entries; existing ones stay unchanged.
 * @returns all of them as now stored, in the given order
 */
export async function addDoNotContact(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  entries: readonly DoNotContactEntry[],
  { reason, note = '' }: { reason: DoNotContactReason; note?: string },
): Promise<StoredDoNotContact[]> {
  if (entries.length === 0) return [];
  const kinds = entries.map(({ kind }) => kind);
  const values = entries.map(({ value }) => value);
  await sql`
    insert into do_not_contact (workspace_id, kind, value, reason, note)
    select ${workspaceId}, kind, value, ${reason}, ${note}
    from unnest(${kinds}::text[], ${values}::text[]) as given(kind, value)
    order by kind, value
    on conflict (workspace_id, kind, value) do nothing`.execute(db);
  const { rows } = await sql<StoredDoNotContact>`
    select d.id, d.kind, d.value, d.reason, d.note, d.created_at
    from unnest(${kinds}::text[], ${values}::text[]) with ordinality as given(kind, value, place)
    join do_not_contact d using (kind, value)
    where d.workspace_id = ${workspaceId} order by given.place`.execute(db);
  return rows;
}

/**
 * The addresses among these that must not be contacted, because of an entry for the address or its domain.
 * @param emails in lower case
 */
export async function blockedEmails(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  emails: readonly string[],
): Promise<Set<string>> {
  const blocked = await blockedValues(db, workspaceId, [
    ...emails.map((value) => ({ kind: 'email' as const, value })),
    ...emails.flatMap((email) => domainsAbove(email.slice(email.lastIndexOf('@') + 1))),
  ]);
  return new Set(
    emails.filter(
      (email) =>
        blocked.has(`email ${email}`) ||
        domainsAbove(email.slice(email.lastIndexOf('@') + 1)).some(({ value }) =>
          blocked.has(`domain ${value}`),
        ),
    ),
  );
}

/** The domains or hosts among these that must not be contacted, because of an entry for them or a parent domain. */
export async function blockedDomains(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  domains: readonly string[],
): Promise<Set<string>> {
  const blocked = await blockedValues(db, workspaceId, domains.flatMap(domainsAbove));
  return new Set(
    domains.filter((domain) =>
      domainsAbove(domain).some(({ value }) => blocked.has(`domain ${value}`)),
    ),
  );
}

/** `a.b.example` → itself, `b.example` and `example`. */
function domainsAbove(domain: string): { kind: 'domain'; value: string }[] {
  const labels = domain.split('.');
  return labels.map((_, index) => ({ kind: 'domain', value: labels.slice(index).join('.') }));
}

async function blockedValues(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  entries: readonly DoNotContactEntry[],
): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const { rows } = await sql<DoNotContactEntry>`
    select kind, value from do_not_contact
    where workspace_id = ${workspaceId}
      and value = any(${[...new Set(entries.map(({ value }) => value))]}::text[])`.execute(db);
  return new Set(rows.map(({ kind, value }) => `${kind} ${value}`));
}
