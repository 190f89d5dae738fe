import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Role } from '#src/tables/accounts.ts';

/*
 * Who may see and change a document. Every query that names documents to somebody takes its condition from here.
 *
 * - A pair with `access_type` private belongs to the user who made it, whatever the role of anybody else's key.
 * - A document is seen by a user unless all pairs that have it are private to others. A document without a pair is seen
 *   by the whole workspace.
 * - Who does not see a document cannot change it, and nobody adds to a pair that is private to somebody else.
 * - A member changes what is in pairs of its own and in the default pair, and nothing else.
 */

/** Whose eyes a document is seen with. */
export interface Reader {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** Whose key changes a document. */
export interface Writer {
  userId: UserId;
  role: Role;
}

/** A column, a value that is sent, or null for somebody who made no pair. */
type UserExpression = RawBuilder<unknown> | UserId | null;

/** Holds for a row of `document` that this user may see. */
export function isVisibleTo(document: string, userId: UserExpression): RawBuilder<boolean> {
  const pairs = sql`document_cc_pair l join cc_pair p on p.id = l.cc_pair_id
    where l.document_id = ${sql.ref(`${document}.id`)}`;
  return sql<boolean>`(not exists (select 1 from ${pairs})
    or exists (select 1 from ${pairs} and not (${isPrivateToOthers('p', userId)})))`;
}

/** Holds for a row of `document` that everybody in its workspace may see. */
export function isVisibleToAll(document: string): RawBuilder<boolean> {
  return isVisibleTo(document, null);
}

/**
 * Ids of the documents that this user may not see: the complement of `isVisibleTo`, for scans that touch many rows and
 * are better off with one set.
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

/** False for nearly every workspace: then no search has to look for what it must not find. */
export async function hasPrivatePairsOfOthers(
  db: Database,
  workspaceId: WorkspaceId,
  userId: UserId,
): Promise<boolean> {
  const { rows } = await sql`select 1 from cc_pair p
    where p.workspace_id = ${workspaceId} and ${isPrivateToOthers('p', userId)} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Holds for a row of `document` that this writer sees and may change or delete. */
export function mayChangeDocument(document: string, writer: WriterExpression): RawBuilder<boolean> {
  return sql<boolean>`(${isVisibleTo(document, writer.userId)} and not (${writer.isMember}
    and exists (select 1 from document_cc_pair ml join cc_pair mp on mp.id = ml.cc_pair_id
      where ml.document_id = ${sql.ref(`${document}.id`)} and ${isOfOthers('mp', writer.userId)})))`;
}

/** Holds for a row of `cc_pair` that this writer may add documents to. */
export function mayAddToPair(pair: string, writer: WriterExpression): RawBuilder<boolean> {
  return sql<boolean>`not (${isPrivateToOthers(pair, writer.userId)}
    or (${writer.isMember} and ${isOfOthers(pair, writer.userId)}))`;
}

/** A writer inside of a statement. */
interface WriterExpression {
  userId: UserExpression;
  isMember: RawBuilder<unknown>;
}

/** The refusal of a change to a document that the caller may not change. */
export function documentOfOthers(externalId: string): Problem {
  return new Problem(
    'UNAUTHORIZED',
    `The document ${JSON.stringify(externalId.slice(0, 200))} belongs to another user, and this key may not change it. Use another document id.`,
  );
}

/** As values of one statement. */
export function writerValues({ userId, role }: Writer): WriterExpression {
  return { userId, isMember: sql`${role === 'member'}::boolean` };
}

/** Holds for a row of `cc_pair` whose documents are for the eyes of one other user. A private pair without an owner is nobody's. */
export function isPrivateToOthers(pair: string, userId: UserExpression): RawBuilder<boolean> {
  const isPrivate = sql<boolean>`lower(${sql.ref(`${pair}.access_type`)}) = 'private'`;
  if (userId === null) return isPrivate;
  return sql<boolean>`(${isPrivate} and ${sql.ref(`${pair}.created_by`)} is distinct from ${userId})`;
}

/** Holds for a row of `cc_pair` whose documents are for the eyes of this user alone. */
export function isPrivateTo(pair: string, userId: UserExpression): RawBuilder<boolean> {
  return sql<boolean>`(lower(${sql.ref(`${pair}.access_type`)}) = 'private'
    and ${sql.ref(`${pair}.created_by`)} is not distinct from ${userId})`;
}

function isOfOthers(pair: string, userId: UserExpression): RawBuilder<boolean> {
  return sql<boolean>`(not ${sql.ref(`${pair}.is_default`)}
    and ${sql.ref(`${pair}.created_by`)} is distinct from ${userId})`;
}
