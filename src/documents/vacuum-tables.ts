import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';

/** Dead rows as a share of those in use, from which a vacuum pays. */
const DEAD_SHARE = 0.1;
/** A vacuum of a larger table would take seconds. Servers with so many postings leave it to autovacuum. */
const MOST_BYTES = 1024 ** 3;
/** Some megabytes of them. */
const MOST_DEAD_TEXTS = 5_000;

/**
 * Lets the next merge write where the last ones deleted, so that the table does not grow with each. Autovacuum looks at
 * a table once a minute, which is too seldom for a load, and the embedded database has none.
 */
export async function vacuumPostings(db: Database): Promise<void> {
  const { rows } = await sql<{ dead: number; live: number; bytes: number }>`
    select pg_stat_get_dead_tuples('posting_bucket'::regclass)::float8 as dead,
      pg_stat_get_live_tuples('posting_bucket'::regclass)::float8 as live,
      pg_total_relation_size('posting_bucket')::float8 as bytes`.execute(db);
  const [table] = rows;
  if (!table || table.dead === 0 || table.dead < table.live * DEAD_SHARE) return;
  if (table.bytes > MOST_BYTES) return;
  await sql`vacuum (skip_locked) posting_bucket, posting_segment`.execute(db);
}

/** Of the term changes that were folded: each write appends rows that are deleted some seconds later. */
export async function vacuumTermDeltas(db: Database): Promise<void> {
  await sql`vacuum (skip_locked) term_delta`.execute(db);
}

/** Of the documents whose text is in their chunk: each was written, and deleted when the document was indexed. */
export async function vacuumDocumentTexts(db: Database): Promise<void> {
  const { rows } = await sql<{ dead: number; bytes: number }>`
    select pg_stat_get_dead_tuples('document_text'::regclass)::float8 as dead,
      pg_total_relation_size('document_text')::float8 as bytes`.execute(db);
  const [table] = rows;
  if (!table || table.dead < MOST_DEAD_TEXTS || table.bytes > MOST_BYTES) return;
  await sql`vacuum (skip_locked) document_text`.execute(db);
}

/** Makes the session count the rows that a transaction deletes at its end, and not up to ten seconds later. */
export async function countDeadRows(trx: Database): Promise<void> {
  await sql`select pg_stat_force_next_flush()`.execute(trx);
}
