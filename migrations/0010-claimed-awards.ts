import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  // An action that both the client and the service report earns one award: the second report claims it. claim_id
  // identifies the second report as source_id does the first: the client's Idempotency-Key, or the real action.
  `alter table points_award add column claimed_at timestamptz, add column claim_id text`,
  `create unique index points_award_claim on points_award (user_id, source, claim_id)
    where claim_id is not null`,
  `create index points_award_unclaimed on points_award (user_id, action_type, source, created_at)
    where claimed_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
