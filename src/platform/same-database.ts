import { type Kysely, sql } from 'kysely';
import type { Tables } from '#src/tables/tables.ts';
import { StartError } from './errors.ts';
import { sqlStateOf } from './postgres.ts';

const FORBIDDEN = '42501';

/**
 * Identifies a database: the number that `initdb` gave its cluster, which replicas share, and its name. Null when this
 * user may not know.
 */
export async function identityOf(db: Kysely<Tables>): Promise<string | null> {
  try {
    const { rows } = await sql<{ identity: string }>`
      select system_identifier || '/' || current_database() as identity from pg_control_system()`.execute(
      db,
    );
    return rows[0]?.identity ?? null;
  } catch (error) {
    if (sqlStateOf(error) === FORBIDDEN) return null;
    throw error;
  }
}

/** @throws StartError when the two addresses lead to different databases */
export async function assertSameDatabase(
  db: Kysely<Tables>,
  directDb: Kysely<Tables>,
): Promise<void> {
  const [pooled, direct] = await Promise.all([identityOf(db), identityOf(directDb)]);
  if (pooled === null || direct === null || pooled === direct) return;
  throw new StartError(
    'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases. Both must name the same one.',
  );
}
