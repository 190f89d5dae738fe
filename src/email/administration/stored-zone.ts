import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

/** SQLSTATE 22023, `invalid_parameter_value`. */
const UNKNOWN_ZONE = '22023';

/**
 * The database computes the days of an account, and it has its own table of time zones.
 * @throws Problem BAD_REQUEST for a zone that it does not know
 */
export async function assertZoneIsStored(db: Database, timeZone: string): Promise<void> {
  try {
    await sql`select now() at time zone ${timeZone}::text`.execute(db);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNKNOWN_ZONE)) throw error;
    throw new Problem(
      'BAD_REQUEST',
      `body.time_zone: the database does not know the zone ${timeZone}. Give another name for it, such as that of a large city.`,
    );
  }
}
