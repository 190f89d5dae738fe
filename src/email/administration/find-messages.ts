import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import {
  type FoundRow,
  MAX_COMPARED,
  MAX_OF_KIND,
  type LookupTerm,
} from '#src/platform/found-row.ts';

/** Messages by id, and the newest ones by their recipient. */
export async function findMessages(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { workspaceId, uuid, part } = sought;
  const { rows } = await sql<FoundRow>`
    select m.id::text as id, m.email_account_id::text as page_id, 'To ' || m.recipient as title,
      m.status as state, m.error as detail, m.created_at as at
    from ((select id from email_message where id = ${uuid}::uuid)
      union (select id from (select id, recipient from email_message
          where workspace_id = ${workspaceId} order by created_at desc, id desc limit ${MAX_COMPARED}) n
        where strpos(lower(n.recipient), ${part}) > 0)) found
    join email_message m on m.id = found.id
    where m.workspace_id = ${workspaceId}
    order by m.created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** Sender accounts by id, address or name. */
export async function findAccounts(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id::text as id, id::text as page_id, email as title, null::text as state,
      from_name as detail, created_at as at
    from (select * from email_account where workspace_id = ${sought.workspaceId}
      order by created_at desc limit ${MAX_COMPARED}) a
    where id = ${sought.uuid}::uuid or strpos(lower(email), ${sought.part}) > 0
      or strpos(lower(from_name), ${sought.part}) > 0
    order by created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}
