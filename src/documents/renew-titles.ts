import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { IS_OLDER } from './terms-version.ts';
import { MAX_TITLE_LENGTH, type TitledDocument, writeTitles } from './title-words.ts';

/** About 10 ms of work on the embedded database. */
export const RENEWED_TITLES_PER_STEP = 200;

/**
 * Makes the words of titles again that an earlier version wrote. A document is locked meanwhile, so that whoever indexes
 * a newer title writes it before or afterwards; one that is locked already waits for the next run.
 * @returns how many; fewer than `RENEWED_TITLES_PER_STEP` when none are left
 */
export async function renewTitles(db: Database): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<TitledDocument>`
      select id, workspace_id, left(semantic_identifier, ${MAX_TITLE_LENGTH}) as semantic_identifier,
        left(title, ${MAX_TITLE_LENGTH}) as title from document
      where id = any(array(select document_id from document_title
        where ${IS_OLDER} limit ${RENEWED_TITLES_PER_STEP}))
      for share skip locked`.execute(trx);
    await writeTitles(trx, rows);
    return rows.length;
  });
}
