import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { visibleText } from '#src/documents/html-text.ts';
import type { SearchDoc } from './search-hit.ts';
import { visible } from './search-scope.ts';
import { areShown } from '#src/documents/shown-chunks.ts';
import type { SearchFilters } from './search-filters.ts';
import { FOUND_COLUMNS, type FoundRow, toSearchDoc } from './to-search-doc.ts';

interface NewestRow extends FoundRow {
  ordinal: number;
  text: string;
  is_html: boolean;
  link: string | null;
}

/** The newest documents that the user may find, each shown by its first chunk. */
export async function newestDocuments(
  db: Database,
  scope: {
    workspaceId: WorkspaceId;
    userId: UserId;
    filters: SearchFilters;
    includesHidden: boolean;
    limit: number;
  },
): Promise<SearchDoc[]> {
  const { rows } = await sql<NewestRow>`
    select ${FOUND_COLUMNS}, c.ordinal, c.text, c.is_html, c.link
    from (
      select * from (select *, id as document_id from document) numbered
      where status = 'indexed' and ${visible(scope)} order by id desc limit ${scope.limit}) d
    cross join lateral (
      select ordinal, text, is_html, link from chunk
      where document_id = d.id
        and ${areShown(scope.workspaceId, { chunk: sql`chunk.id`, document: sql`d.id` })}
      order by ordinal limit 1) c
    order by d.id desc`.execute(db);
  return rows.map(({ ordinal, text, is_html, link, ...row }) =>
    toSearchDoc(row, { ordinal, link, text: is_html ? visibleText(text) : text }),
  );
}
