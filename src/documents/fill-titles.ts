import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { addMissingTitles, MAX_TITLE_LENGTH, type TitledDocument } from './title-words.ts';

/** The row of `deployment_fact` that an upgrade leaves: which documents have no title words yet. */
const FACT = 'titles_to_fill';
/** About 10 ms of work on the embedded database. */
const BATCH = 200;
const MAX_BATCHES_PER_RUN = 50;

/**
 * Writes the title words of documents that the version before indexed, oldest first, some thousands in one run. New and
 * edited documents write their own, and keep it. Two processes that fill at once do the same work twice, and no harm.
 * @returns how many documents it went through; 0 when none are left
 */
export async function fillTitles(db: Database, signal: AbortSignal): Promise<number> {
  let done = 0;
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN; batch += 1) {
    signal.throwIfAborted();
    const documents = await nextDocuments(db);
    if (documents === null) break;
    await addMissingTitles(db, documents);
    await markFilled(db, documents.at(-1)?.id ?? null);
    done += documents.length;
  }
  return done;
}

/** Null when nothing is left; none when those that were left are deleted. */
async function nextDocuments(db: Database): Promise<TitledDocument[] | null> {
  const { rows: facts } = await sql<{ after: DocumentId; through: DocumentId }>`
    select (value->>'after')::float8 as after, (value->>'through')::float8 as through
    from deployment_fact where name = ${FACT}`.execute(db);
  const [fact] = facts;
  if (!fact) return null;
  const { rows } = await sql<TitledDocument>`
    select id, workspace_id, left(semantic_identifier, ${MAX_TITLE_LENGTH}) as semantic_identifier,
      left(title, ${MAX_TITLE_LENGTH}) as title from document
    where id > ${fact.after} and id <= ${fact.through} and indexed_at is not null
    order by id limit ${BATCH}`.execute(db);
  return rows;
}

/** @param last null: none was found any more */
async function markFilled(db: Database, last: DocumentId | null): Promise<void> {
  if (last === null) {
    await sql`delete from deployment_fact where name = ${FACT}`.execute(db);
    return;
  }
  await sql`update deployment_fact set value = json_build_object('after', ${last}::bigint, 'through', value->'through')
    where name = ${FACT} and (value->>'after')::bigint < ${last}`.execute(db);
}
