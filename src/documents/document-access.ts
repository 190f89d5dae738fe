import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Role } from '#src/tables/accounts.ts';

/*
 * Who may see and change a document. Every query that exposes documents takes its access condition from here.
 *
 * - A pair with `access_type` private belongs to the user who created it, whatever the role of any other user's key.
 * - A user sees a document unless all pairs that contain it are private to others. The whole workspace sees a document
 *   without a pair.
 * - A user who cannot see a document cannot change it, and nobody can add to a pair that is private to somebody else.
 * - A member can change only what is in their own pairs and in the default pair.
 */

/** The user for whom visibility is checked. */
export interface Reader {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** The user and role of the key that changes a document. */
export interface Writer {
  userId: UserId;
  role: Role;
}

/** A column, a bound value, or null for a user who created no pair. */
type UserExpression = RawBuilder<unknown> | UserId | null;

/** True for a row of `document` that this user may see. */
export function isVisibleTo(document: string, userId: UserExpression): RawBuilder<boolean> {
  const pairs = sql`document_cc_pair l join cc_pair p on p.id = l.cc_pair_id
    where l.document_id = ${sql.ref(`${document}.id`)}`;
  return sql<boolean>`(not exists (select 1 from ${pairs})
    or exists (select 1 from ${pairs} and not (${isPrivateToOthers('p', userId)})))`;
}

/** True for a row of `document` that everybody in its workspace may see. */
export function isVisibleToAll(document: string): RawBuilder<boolean> {
  return isVisibleTo(document, null);
}

/**
 * Ids of the documents that this user may not see: the complement of `isVisibleTo`, for scans over many rows, where
 * computing one set is cheaper.
 */
export function privateToOthers(
  workspaceId: WorkspaceId,
  userId: UserId,
): RawBuilder<{ document_id: DocumentId }> {
  return sql`select l.document_id from cc_pair p
    join document_cc_pair l on l.cc_pair_id = p.id
    where p.workspace_id = ${workspaceId} and ${isPrivateToOthers('p', userId)}
      and not exists (select 1 from document_cc_pair ol join cc_pair o on o.id = ol.cc_pair_id
        where ol.document_id = l.document_id and not (${isPrivateToOthers('o', userId)}))`;
}

/** False for nearly every workspace; searches then need no visibility check. */
export async function hasPrivatePairsOfOthers(
  db: Database,
  workspaceId: WorkspaceId,
  userId: UserId,
): Promise<boolean> {
  const { rows } = await privatePairsOfOthers(workspaceId, userId).execute(db);
  return rows.length > 0;
}

/** One row, or none. */
export function privatePairsOfOthers(
  workspaceId: WorkspaceId,
  userId: UserId,
): RawBuilder<unknown> {
  return sql`select 1 from cc_pair p
    where p.workspace_id = ${workspaceId} and ${isPrivateToOthers('p', userId)} limit 1`;
}

/**
 * True for a row of `document` that stands in a set of one of these names. A set counts only through pairs that the
 * user may see: else the filter would tell which documents stand in pairs of others.
 * @param userId null if no pair is private to others
 */
export function isInDocumentSet(
  document: string,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId | null },
  names: readonly string[],
): RawBuilder<boolean> {
  const seen = userId === null ? sql`true` : sql`not ${isPrivateToOthers('p', userId)}`;
  return sql<boolean>`exists (
    select 1 from document_cc_pair dp
    join cc_pair p on p.id = dp.cc_pair_id
    join document_set_cc_pair sp on sp.cc_pair_id = dp.cc_pair_id
    join document_set s on s.id = sp.document_set_id
    where dp.document_id = ${sql.ref(`${document}.id`)} and s.workspace_id = ${workspaceId} and ${seen}
      and s.name = any(${names}::text[]))`;
}

/** True for a row of `document` that this writer can see and may change or delete. */
export function mayChangeDocument(document: string, writer: WriterExpression): RawBuilder<boolean> {
  return sql<boolean>`(${isVisibleTo(document, writer.userId)} and not (${writer.isMember}
    and exists (select 1 from document_cc_pair ml join cc_pair mp on mp.id = ml.cc_pair_id
      where ml.document_id = ${sql.ref(`${document}.id`)} and ${isOfOthers('mp', writer.userId)})))`;
}

/** True for a row of `cc_pair` that this writer may add documents to. */
export function mayAddToPair(pair: string, writer: WriterExpression): RawBuilder<boolean> {
  return sql<boolean>`not (${isPrivateToOthers(pair, writer.userId)}
    or (${writer.isMember} and ${isOfOthers(pair, writer.userId)}))`;
}

/** A writer as SQL expressions. */
interface WriterExpression {
  userId: UserExpression;
  isMember: RawBuilder<unknown>;
}

/** The error for a change to a document that the caller may not change. */
export function documentOfOthers(externalId: string): Problem {
  return new Problem(
    'UNAUTHORIZED',
    `The document ${JSON.stringify(externalId.slice(0, 200))} belongs to another user, and this key may not change it. Use another document id.`,
  );
}

/** The writer as bound values of a statement. */
export function writerValues({ userId, role }: Writer): WriterExpression {
  return { userId, isMember: sql`${role === 'member'}::boolean` };
}

/** True for a row of `cc_pair` that is private and not owned by this user, which includes a pair without an owner. */
export function isPrivateToOthers(pair: string, userId: UserExpression): RawBuilder<boolean> {
  const isPrivate = sql<boolean>`lower(${sql.ref(`${pair}.access_type`)}) = 'private'`;
  if (userId === null) return isPrivate;
  return sql<boolean>`(${isPrivate} and ${sql.ref(`${pair}.created_by`)} is distinct from ${userId})`;
}

/** True for a row of `cc_pair` that is private to this user. */
export function isPrivateTo(pair: string, userId: UserExpression): RawBuilder<boolean> {
  return sql<boolean>`(lower(${sql.ref(`${pair}.access_type`)}) = 'private'
    and ${sql.ref(`${pair}.created_by`)} is not distinct from ${userId})`;
}

function isOfOthers(pair: string, userId: UserExpression): RawBuilder<boolean> {
  return sql<boolean>`(not ${sql.ref(`${pair}.is_default`)}
    and ${sql.ref(`${pair}.created_by`)} is distinct from ${userId})`;
}
