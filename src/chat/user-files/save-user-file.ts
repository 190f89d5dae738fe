import { sql } from 'kysely';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { ClaimedFile } from './claim-user-file.ts';
import type { Passage } from './cut-passages.ts';

/** Passages per statement: about a megabyte of text. */
const PASSAGES_PER_STATEMENT = 500;

/**
 * Saves text and passages in one transaction, which also marks the file COMPLETED.
 * @throws LeaseLost when the file was deleted or claimed by another worker; nothing is written then
 */
export async function saveUserFile(
  db: Database,
  claim: ClaimedFile,
  read: { text: string; tokenCount: number; passages: readonly Passage[] },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const saved = await trx
      .updateTable('user_file')
      .set({
        status: 'COMPLETED',
        text: read.text,
        token_count: read.tokenCount,
        chunk_count: read.passages.length,
        error: null,
        claimed_until: null,
      })
      .where('id', '=', claim.id)
      .where('attempts', '=', claim.attempts)
      .where('status', '=', 'PROCESSING')
      .returning('id')
      .executeTakeFirst();
    if (!saved) throw new LeaseLost('The file was deleted or taken over.');
    await trx.deleteFrom('user_file_chunk').where('user_file_id', '=', claim.id).execute();
    for (let start = 0; start < read.passages.length; start += PASSAGES_PER_STATEMENT) {
      await insertPassages(trx, claim, read.passages.slice(start, start + PASSAGES_PER_STATEMENT));
    }
  });
}

async function insertPassages(
  trx: DatabaseTransaction,
  { id }: ClaimedFile,
  passages: readonly Passage[],
): Promise<void> {
  await sql`
    insert into user_file_chunk (user_file_id, ordinal, text, terms)
    select ${id}, x.ordinal, x.text,
      array(select term::int from json_array_elements_text(x.terms) with ordinality as t(term, place)
        order by place)
    from json_to_recordset(${JSON.stringify(passages)}::json)
      as x(ordinal int, text text, terms json)`.execute(trx);
}
