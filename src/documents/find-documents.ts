import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { type FoundRow, MAX_OF_KIND, type LookupTerm } from '#src/platform/found-row.ts';
import { isVisibleTo } from './document-access.ts';
import { SHOWN_TITLE } from './shown-columns.ts';
import { titleQuery } from './title-words.ts';
import { tokenizeWords } from './tokenize.ts';

const MAX_TITLES = 200;
const MAX_WORDS = 10;

/** Documents that the reader may see: by id, by words of the title; those that are not indexed by a part of it. */
export async function findDocuments(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { workspaceId, userId, text, part, number } = sought;
  const words = part === null ? [] : tokenizeWords(part).slice(0, MAX_WORDS);
  const query = titleQuery(workspaceId, words, { isPrefix: true });
  const { rows } = await sql<FoundRow>`
    select d.external_id as id, d.external_id as page_id, ${SHOWN_TITLE} as title, d.status as state,
      d.source as detail, d.accepted_at as at
    from (
      (select id from document where workspace_id = ${workspaceId} and external_id = ${text})
      union (select id from document where id = ${number}::bigint and workspace_id = ${workspaceId})
      union (select t.document_id from document_title t join document o on o.id = t.document_id
        where t.words @@ ${query}::tsquery and t.workspace_id = ${workspaceId}
          and ${isVisibleTo('o', userId)} limit ${MAX_TITLES})
      union (select n.id from unnest(array['accepted', 'indexing', 'failed']) as waiting(status)
        cross join lateral (select o.id, o.semantic_identifier from document o
          where o.workspace_id = ${workspaceId} and o.status = waiting.status
            and ${isVisibleTo('o', userId)} order by o.id desc limit ${MAX_TITLES}) n
        where strpos(lower(left(n.semantic_identifier, 1000)), ${part}) > 0)) found
    join document d on d.id = found.id
    where ${isVisibleTo('d', userId)}
    order by (d.external_id = ${text}) desc, strpos(lower(left(d.semantic_identifier, 1000)), ${part}) = 1 desc nulls last,
      d.id desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}
