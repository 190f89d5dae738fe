import { sql } from 'kysely';
import type { PersonId, PersonSessionId, WorkspaceId } from '#src/ids.ts';
import type { Principal } from '#src/accounts/principal.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { isUuid } from '#src/platform/is-uuid.ts';
import type { Role } from '#src/tables/accounts.ts';
import type { PersonSession } from './better-auth.ts';

/** A workspace that a person belongs to. */
export interface Membership {
  id: WorkspaceId;
  name: string;
  role: Role;
  isBootstrap: boolean;
}

export interface OpenSession {
  id: PersonSessionId;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  ipAddress: string | null;
  userAgent: string | null;
}

/** The caller that a session stands for: its person's user account in the chosen workspace; null when there is none. */
export async function findCaller(
  db: Database,
  { id, person, workspaceId }: PersonSession,
): Promise<Principal | null> {
  if (workspaceId === null) return null;
  const row = await db
    .selectFrom('user_account as u')
    .innerJoin('workspace as w', 'w.id', 'u.workspace_id')
    .select(['u.id', 'u.sign_in_role', 'w.plan_tier', 'w.is_bootstrap'])
    .where('u.workspace_id', '=', workspaceId)
    .where('u.person_id', '=', person.id)
    .executeTakeFirst();
  if (!row || row.sign_in_role === null) return null;
  return {
    workspaceId,
    userId: row.id,
    keyId: null,
    sessionId: id,
    role: row.sign_in_role,
    plan: row.plan_tier,
    isBootstrapWorkspace: row.is_bootstrap,
  };
}

/** In the order in which the person joined. */
export async function listMemberships(db: Database, personId: PersonId): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    select w.id, w.name, u.sign_in_role as role, w.is_bootstrap as "isBootstrap"
    from user_account u join workspace w on w.id = u.workspace_id
    where u.person_id = ${personId} order by u.created_at, u.id`.execute(db);
  return rows;
}

export async function hasPassword(db: Database, personId: PersonId): Promise<boolean> {
  const row = await db
    .selectFrom('person_login')
    .select('id')
    .where('person_id', '=', personId)
    .where('password', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** @throws Problem NOT_FOUND when the person does not belong to the workspace */
export async function chooseWorkspace(
  db: Database,
  session: PersonSession,
  workspaceId: string,
): Promise<void> {
  const chosen = isUuid(workspaceId)
    ? await db
        .updateTable('person_session as s')
        .from('user_account as u')
        .set((set) => ({ workspace_id: set.ref('u.workspace_id') }))
        .where('s.id', '=', session.id)
        .where('u.workspace_id', '=', workspaceId.toLowerCase() as WorkspaceId) // a UUID; the query tells whether it exists
        .where('u.person_id', '=', session.person.id)
        .returning('s.id')
        .executeTakeFirst()
    : undefined;
  if (chosen) return;
  throw new Problem(
    'NOT_FOUND',
    'body.workspace_id: you belong to no such workspace. GET /session lists yours.',
  );
}

export async function renamePerson(db: Database, personId: PersonId, name: string): Promise<void> {
  await db
    .updateTable('person')
    .set({ name, updated_at: sql<Date>`now()` })
    .where('id', '=', personId)
    .execute();
}

/** The newest first. */
export async function listSessions(db: Database, personId: PersonId): Promise<OpenSession[]> {
  const { rows } = await sql<OpenSession>`
    select id, created_at as "createdAt", updated_at as "lastUsedAt", expires_at as "expiresAt",
      nullif(ip_address, '') as "ipAddress", nullif(user_agent, '') as "userAgent"
    from person_session where person_id = ${personId} and expires_at > now()
    order by created_at desc, id limit 200`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND when the person has no such session */
export async function endSession(db: Database, personId: PersonId, id: string): Promise<void> {
  const ended = await db
    .deleteFrom('person_session')
    // Compared as text, so that a malformed UUID is an unknown id instead of a database error.
    .where(sql<string>`id::text`, '=', id.toLowerCase())
    .where('person_id', '=', personId)
    .returning('id')
    .executeTakeFirst();
  if (ended) return;
  throw new Problem(
    'NOT_FOUND',
    `There is no session with the id ${JSON.stringify(id.slice(0, 100))}. GET /session/sessions lists yours.`,
  );
}

/** Ends all sessions of a person but one. */
export async function endOtherSessions(db: Database, session: PersonSession): Promise<number> {
  const ended = await db
    .deleteFrom('person_session')
    .where('person_id', '=', session.person.id)
    .where('id', '<>', session.id)
    .executeTakeFirst();
  return Number(ended.numDeletedRows);
}

/** The person's latest choice, else the workspace that they joined first. */
export async function findLatestWorkspace(
  db: Database,
  personId: PersonId,
): Promise<WorkspaceId | null> {
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    select u.workspace_id from user_account u
    left join person_session s on s.workspace_id = u.workspace_id and s.person_id = u.person_id
    where u.person_id = ${personId}
    order by s.updated_at desc nulls last, u.created_at, u.id limit 1`.execute(db);
  return rows[0]?.workspace_id ?? null;
}

/** Deletes what has expired. Called at each sign-in, so that nothing piles up. */
export async function pruneExpired(db: Database): Promise<void> {
  await sql`delete from person_session where id in (
    select id from person_session where expires_at < now() limit 100 for update skip locked)`.execute(
    db,
  );
  await sql`delete from person_verification where expires_at < now()`.execute(db);
}
