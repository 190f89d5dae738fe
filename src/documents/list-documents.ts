import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Reader } from './document-access.ts';
import { type DocumentFilter, filterReader, matching } from './document-filter.ts';
import { type DocumentRecord, RECORD } from './store.ts';

export interface DocumentListing {
  reader: Reader;
  filter: DocumentFilter;
  /** Only documents older than this one. */
  before: number | null;
  limit: number;
}

/** Lists documents that the reader may see, newest first. */
export async function listDocuments(
  db: Database,
  { reader, filter, before, limit }: DocumentListing,
): Promise<DocumentRecord[]> {
  const condition = matching(await filterReader(db, reader), filter);
  const older = before === null ? sql`true` : sql`d.id < ${before}`;
  // The page first: a plan that sorts, such as that of a database without statistics, would read every text otherwise.
  const { rows } = await sql<DocumentRecord>`
    select ${RECORD} from (select d.id from document d where ${condition} and ${older}
      order by d.id desc limit ${limit}) page
    join document d on d.id = page.id order by d.id desc`.execute(db);
  return rows;
}

/** The sources of the documents that the reader may see, each with their number, largest first. */
export async function countBySource(
  db: Database,
  reader: Reader,
): Promise<{ source: string; documents: number }[]> {
  const everything = { status: null, sources: null, ccPairId: null, documentSet: null, text: null };
  const condition = matching(await filterReader(db, reader), everything);
  const { rows } = await sql<{ source: string; documents: number }>`
    select d.source, count(*)::int as documents from document d where ${condition}
    group by d.source order by count(*) desc, d.source limit 1000`.execute(db);
  return rows;
}

/** Bytes of the texts of all documents of a workspace. */
export async function sumDocumentBytes(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(content_bytes), 0)::float8 as bytes from document
    where workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.bytes ?? 0;
}
