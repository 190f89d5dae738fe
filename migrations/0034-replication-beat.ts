import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // When the primary was last seen alive, as a read replica shows it: see docs/scaling.md. Always one row.
  await sql`create table replication_beat (
    is_only boolean primary key default true check (is_only),
    beat_at timestamptz not null)`.execute(db);
  await sql`insert into replication_beat (beat_at) values (now())`.execute(db);
}
