import { type Kysely, sql } from 'kysely';

const MAX_SHOWN_BYTES = 8_192;
const MAX_SHOWN_VALUE_BYTES = 2_048;
/** Size of a saved answer; larger ones are checked. */
const MAX_ANSWER_BYTES = 200_000;

/** Hits show this instead of large metadata; null where they show all of it. */
const COLUMN = sql`alter table document add column shown_metadata json`;

const BACKFILL = sql`update document d set shown_metadata = (
    select coalesce(json_object_agg(key, value), '{}') from (
      select key, value,
        sum(octet_length(key) + octet_length(value::text) + 4) over (order by place) as bytes
      from json_each(d.metadata) with ordinality as entry(key, value, place)
      where octet_length(value::text) <= ${sql.lit(MAX_SHOWN_VALUE_BYTES)}) entries
    where bytes <= ${sql.lit(MAX_SHOWN_BYTES)})
  where octet_length(d.metadata::text) > ${sql.lit(MAX_SHOWN_BYTES)}`;

/** What happened to documents of a run, beside its counts: reason → number, as in skip_reasons. */
const NOTES = sql`alter table index_attempt add column notes json not null default '{}'`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await COLUMN.execute(db);
  await BACKFILL.execute(db);
  await NOTES.execute(db);
  await boundAnswers(db);
}

interface SavedAnswer {
  id: number;
  documents: unknown;
  packets: unknown;
}

/**
 * Saved answers contained the whole metadata of their documents. Processed one at a time: each may be tens of
 * megabytes.
 */
async function boundAnswers(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: number }>`select id from chat_message
    where octet_length(documents::text) > ${MAX_ANSWER_BYTES}
      or octet_length(packets::text) > ${MAX_ANSWER_BYTES}`.execute(db);
  for (const { id } of rows) {
    const found = await sql<SavedAnswer>`
      select id, documents, packets from chat_message where id = ${id}`.execute(db);
    const [saved] = found.rows;
    if (!saved) continue;
    await sql`update chat_message set documents = ${withoutLargeMetadata(saved.documents)}::json,
      packets = ${withoutLargeMetadata(saved.packets)}::json where id = ${id}`.execute(db);
  }
}

function withoutLargeMetadata(value: unknown): string | null {
  if (value === null) return null;
  return JSON.stringify(value, (key, part: unknown) =>
    key === 'metadata' && JSON.stringify(part ?? null).length > MAX_SHOWN_BYTES ? {} : part,
  );
}
