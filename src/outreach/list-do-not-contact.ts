import { type RawBuilder, sql } from 'kysely';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { DoNotContactId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { DoNotContactReason } from '#src/tables/outreach.ts';
import {
  addDoNotContact,
  type DoNotContactEntry,
  type StoredDoNotContact,
} from './do-not-contact.ts';

/** Limited because every lead and every message is checked against the list. */
const MAX_ENTRIES = 100_000;
/** Larger than any row id, and still a safe integer in JavaScript. */
const ENTRY_ID = /^\d{1,15}$/;

export interface DoNotContactQuery {
  kind: DoNotContactEntry['kind'] | null;
  reason: DoNotContactReason | null;
  /** In lower case. */
  value: string | null;
  limit: number;
  /** Return entries before this one; null for the first page. */
  before: number | null;
}

/** Newest first. Entries added meanwhile do not shift the pages. */
export async function listDoNotContact(
  db: Database,
  workspaceId: WorkspaceId,
  query: DoNotContactQuery,
): Promise<{ entries: StoredDoNotContact[]; nextBefore: number | null }> {
  const conditions = [
    sql`workspace_id = ${workspaceId}`,
    query.kind && sql`kind = ${query.kind}`,
    query.reason && sql`reason = ${query.reason}`,
    query.value !== null && sql`value = ${query.value}`,
    query.before !== null && sql`id < ${query.before}`,
  ].filter((one): one is RawBuilder<unknown> => typeof one === 'object' && one !== null);
  const { rows } = await sql<StoredDoNotContact>`
    select id, kind, value, reason, note, created_at from do_not_contact
    where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${query.limit + 1}`.execute(db);
  const entries = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? entries.at(-1) : undefined;
  return { entries, nextBefore: last?.id ?? null };
}

/**
 * Adds entries on behalf of an administrator; existing ones stay unchanged.
 * @returns all of them as now stored
 * @throws Problem CONFLICT when the list would exceed its maximum length
 */
export async function extendDoNotContact(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  entries: readonly DoNotContactEntry[],
  why: { reason: DoNotContactReason; note?: string },
): Promise<StoredDoNotContact[]> {
  // Serializes concurrent calls, so that each counts the entries of the others.
  await lockWorkspace(trx, workspaceId);
  const added = await addDoNotContact(trx, workspaceId, entries, why);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from do_not_contact where workspace_id = ${workspaceId}`.execute(trx);
  if ((rows[0]?.n ?? 0) <= MAX_ENTRIES) return added;
  throw new Problem(
    'CONFLICT',
    `The do-not-contact list would have more than ${MAX_ENTRIES} entries, which is the limit. Remove some (DELETE /do-not-contact/{id}), or list a domain instead of its addresses.`,
  );
}

/** @throws Problem NOT_FOUND for an id that does not exist in this workspace */
export async function removeDoNotContact(
  db: Database,
  workspaceId: WorkspaceId,
  id: DoNotContactId,
): Promise<void> {
  const removed = await db
    .deleteFrom('do_not_contact')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!removed) throw unknownEntry(String(id));
}

/**
 * Parses the id in a path.
 * @throws Problem NOT_FOUND for an id of any other format
 */
export function doNotContactIdOf(text: string): DoNotContactId {
  if (!ENTRY_ID.test(text)) throw unknownEntry(text);
  // Branded here, after its format has been checked.
  return Number(text) as DoNotContactId;
}

function unknownEntry(id: string): Problem {
  const shown = JSON.stringify(id.slice(0, 100));
  return new Problem(
    'NOT_FOUND',
    `The do-not-contact list has no entry with the id ${shown}. GET /do-not-contact lists its entries.`,
  );
}
