import { type Kysely, sql } from 'kysely';

/** Both indexes contain only unfinished documents, so they stay as small as the backlog. */
const STATEMENTS = [
  // Waiting documents by lane: finds the first due one of each lane, then the following ones of a lane.
  `create index document_turn
    on document (workspace_id, source, (coalesce(next_attempt_at, accepted_at)), id)
    where status = 'accepted'`,
  // Claims whose worker may have died.
  `create index document_claim on document (claimed_until) where status = 'indexing'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
