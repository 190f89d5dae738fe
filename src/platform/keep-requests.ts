import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { RequestMoments } from './rate-limit-store.ts';

const MINUTE_MS = 60_000;

/**
 * The requests of the last minute that a process of the embedded size counts in memory are written when it ends, and
 * read when the next one starts: a restart is no way around a limit. A crash forgets them; a write for each request
 * would cost more than that is worth.
 */
export async function keepRequests(db: Database, moments: RequestMoments): Promise<void> {
  const rows = [...moments].flatMap(([account, times]) => times.map((atMs) => ({ account, atMs })));
  await db.transaction().execute(async (trx) => {
    await sql`delete from request_log`.execute(trx);
    await sql`insert into request_log (account, at)
      select account, to_timestamp(at_ms / 1000)
      from unnest(${rows.map(({ account }) => account)}::text[],
        ${rows.map(({ atMs }) => atMs)}::float8[]) as kept (account, at_ms)`.execute(trx);
  });
}

/** What the process before has kept, as far as it still counts. */
export async function readKeptRequests(db: Database, now: Date): Promise<RequestMoments> {
  const { rows } = await sql<{ account: string; at: Date }>`
    select account, at from request_log
    where at > ${new Date(now.getTime() - MINUTE_MS)} and at <= ${now}
    order by at`.execute(db);
  const byAccount = Map.groupBy(rows, ({ account }) => account);
  return new Map(
    Array.from(byAccount, ([account, kept]) => [account, kept.map(({ at }) => at.getTime())]),
  );
}
