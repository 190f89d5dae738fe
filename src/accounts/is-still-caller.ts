import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { Principal } from './principal.ts';

/** Whether the key or the session of a caller still stands for the same user account in the same role. */
export async function isStillCaller(
  db: Database,
  { workspaceId, userId, keyId, sessionId, role }: Principal,
): Promise<boolean> {
  const { rows } = await sql`
    select from api_key where id = ${keyId} and user_id = ${userId} and role = ${role}
      and revoked_at is null and (expires_at is null or expires_at > now())
    union all
    select from person_session s join user_account u on u.person_id = s.person_id
    where s.id = ${sessionId} and s.expires_at > now()
      and u.id = ${userId} and u.workspace_id = ${workspaceId} and u.sign_in_role = ${role}`.execute(
    db,
  );
  return rows.length > 0;
}
