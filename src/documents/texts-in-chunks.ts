import { type RawBuilder, sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/**
 * The sections of an indexed `document d` whose text is in its only chunk, as `dropTextsInChunks` leaves it. Null for
 * others that have no `document_text`.
 */
export const SECTIONS_IN_CHUNK: RawBuilder<unknown> = sql`(
  select json_build_array(json_build_object('text', c.text, 'link', c.link, 'image_file_id', null))
  from chunk c where c.document_id = d.id and d.chunk_count = 1 limit 1)`;

/**
 * Deletes the texts of documents of one section and one chunk, which is their text word for word: what most short
 * documents are. Only the chunk has it then, so whoever deletes chunks without their document must restore it first.
 * The transaction holds the rows of the documents, so no newer text is lost.
 * @param ids documents of one chunk, whose rows are written
 */
export async function dropTextsInChunks(
  trx: DatabaseTransaction,
  ids: readonly DocumentId[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    delete from document_text t using chunk c
    where t.document_id = any(${ids}::bigint[]) and c.document_id = t.document_id
      and json_array_length(t.sections) = 1
      and exists (select 1 from json_to_record(t.sections -> 0)
          as section(text text, link text, image_file_id text, image_user_id text)
        where section.text = c.text and section.link is not distinct from c.link
          and section.image_file_id is null and section.image_user_id is null)`.execute(trx);
}

/** Before all chunks are deleted. */
export async function restoreTexts(trx: DatabaseTransaction): Promise<void> {
  await sql`
    insert into document_text (document_id, sections)
    select id, sections from (
      select d.id, ${SECTIONS_IN_CHUNK} as sections from document d
      where d.sections is null
        and not exists (select 1 from document_text t where t.document_id = d.id)) lost
    where sections is not null`.execute(trx);
}
