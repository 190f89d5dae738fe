import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { ReplicationBeats } from '#src/platform/read-replica.ts';

/** However many processes look every second, one of them writes. */
const BEAT_AFTER_MS = 900;

/**
 * A row that is written on the primary about every second. A replica that has a beat has everything that was committed
 * before it. Times are those of the primary's clock alone, and a replica of another primary never gets a beat, whatever
 * its log positions say.
 */
export const replicationBeats: ReplicationBeats = { write: writeBeat, read: readBeat };

async function writeBeat(primary: Database): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    with beat as (
      update replication_beat set beat_at = clock_timestamp()
      where beat_at < clock_timestamp() - ${BEAT_AFTER_MS} * interval '1 millisecond')
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(primary);
  return rows[0]?.now ?? 0;
}

async function readBeat(replica: Database): Promise<{ isStandby: boolean; beatMs: number }> {
  const { rows } = await sql<{ standby: boolean; beat: number }>`
    select pg_is_in_recovery() as standby,
      (extract(epoch from beat_at) * 1000)::float8 as beat from replication_beat`.execute(replica);
  const [row] = rows;
  return { isStandby: row?.standby ?? false, beatMs: row?.beat ?? 0 };
}
