import { type RawBuilder, sql } from 'kysely';
import type { DoNotContactId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { DoNotContactReason } from '#src/tables/outreach.ts';
import {
  addDoNotContact,
  type DoNotContactEntry,
  type StoredDoNotContact,
} from './do-not-contact.ts';

/** Every lead and every message is held against the list. */
const MAX_ENTRIES = 100_000;
/** Far beyond any row, and still a number that JavaScript holds. */
const ENTRY_ID = /^\d{1,15}$/;

export interface DoNotContactQuery {
  kind: DoNotContactEntry['kind'] | null;
  reason: DoNotContactReason | null;
  /** In lower case. */
  value: string | null;
  limit: number;
  /** Entries before this one; null for the first page. */
  before: number | null;
}

/** Newest first. Entries that come meanwhile do not shift the pages. */
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
 * Adds entries at an administrator's word; those that are there stay as they are.
 * @returns all of them as they now are
 * @throws Problem CONFLICT when the list would be longer than it may be
 */
export async function extendDoNotContact(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  entries: readonly DoNotContactEntry[],
  why: { reason: DoNotContactReason; note?: string },
): Promise<StoredDoNotContact[]> {
  // Those who come together count one after the other.
  await sql`select id from workspace where id = ${workspaceId} for no key update`.execute(trx);
  const added = await addDoNotContact(trx, workspaceId, entries, why);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from do_not_contact where workspace_id = ${workspaceId}`.execute(trx);
  if ((rows[0]?.n ?? 0) <= MAX_ENTRIES) return added;
  throw new Problem(
    'CONFLICT',
    `The do-not-contact list would have more than ${MAX_ENTRIES} entries, and that is as many as it may have. Remove some (DELETE /do-not-contact/{id}), or list a domain in the place of its addresses.`,
  );
}

/** @throws Problem NOT_FOUND for an id that does not exist, or not in this workspace */
export async function removeDoNotContact(
  db: Database,
  workspaceId: WorkspaceId,
  id: DoNotContactId,
): Promise<void> {
  const { rows } = await sql`
    delete from do_not_contact where workspace_id = ${workspaceId} and id = ${id}
    returning id`.execute(db);
  if (rows.length === 0) throw unknownEntry(String(id));
}

/** The id in a path. @throws Problem NOT_FOUND for what has another shape */
export function doNotContactIdOf(text: string): DoNotContactId {
  if (!ENTRY_ID.test(text)) throw unknownEntry(text);
  // Branded here, once its shape is known.
  return Number(text) as DoNotContactId;
}

function unknownEntry(id: string): Problem {
  const shown = JSON.stringify(id.slice(0, 100));
  return new Problem(
    'NOT_FOUND',
    `The do-not-contact list has no entry with the id ${shown}. GET /do-not-contact lists its entries.`,
  );
}
