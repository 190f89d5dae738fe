import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `drop table request_count`,

  // The last minute's requests when the API processes share a database and have no Redis. Unlogged: not worth a disk
  // write.
  `create unlogged table request_log (
    account text not null,
    at timestamptz not null)`,
  `create index request_log_account on request_log (account, at)`,

  // Counts a request unless \`most\` were counted within the last minute. In a function, each statement sees what was
  // committed before it, so a call that waited for the lock sees the requests it waited for. Times are Unix
  // microseconds.
  `create function take_request(whose text, most integer)
    returns table (allowed boolean, used integer, now_us float8, first_us float8, last_us float8)
    language plpgsql as $$
    declare
      present timestamptz;
    begin
      perform pg_advisory_xact_lock(hashtextextended('request_log ' || whose, 0));
      present := clock_timestamp();
      select count(*) into used from request_log
        where account = whose and at > present - interval '1 minute';
      allowed := used < most;
      if allowed then
        insert into request_log values (whose, present);
        used := used + 1;
        delete from request_log where account = whose and at <= present - interval '1 minute';
      end if;
      -- Accounts that went away leave their last minute behind.
      if random() < 0.001 then
        delete from request_log where at < present - interval '2 minutes';
      end if;
      now_us := extract(epoch from present) * 1e6;
      select extract(epoch from at) * 1e6 into last_us from request_log
        where account = whose order by at desc limit 1;
      select extract(epoch from at) * 1e6 into first_us from request_log
        where account = whose order by at desc offset least(used, most) - 1 limit 1;
      return next;
    end $$`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
