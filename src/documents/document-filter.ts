import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { DocumentStatus } from '#src/tables/documents.ts';
import {
  hasPrivatePairsOfOthers,
  isInDocumentSet,
  isVisibleTo,
  type Reader,
} from './document-access.ts';
import { SHOWN_TITLE } from './shown-columns.ts';

/** Narrows a list of documents; null and an empty text do not. */
export interface DocumentFilter {
  status: DocumentStatus | null;
  sources: readonly string[] | null;
  ccPairId: number | null;
  /** The name of a document set. */
  documentSet: string | null;
  /** A part of the title or of the id, in any case. */
  text: string | null;
}

/** A reader, and whether any pair of the workspace is private to others, so that rows must be checked for it. */
export interface FilterReader extends Reader {
  hasPrivate: boolean;
}

export async function filterReader(db: Database, reader: Reader): Promise<FilterReader> {
  const { workspaceId, userId } = reader;
  const hasPrivate = await hasPrivatePairsOfOthers(db, workspaceId, userId);
  return { workspaceId, userId, hasPrivate };
}

/** True for a row of `document d` of the workspace that the reader may see and the filter lets through. */
export function matching(
  { workspaceId, userId, hasPrivate }: FilterReader,
  filter: DocumentFilter,
): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [sql`d.workspace_id = ${workspaceId}`];
  if (hasPrivate) conditions.push(isVisibleTo('d', userId));
  if (filter.status) conditions.push(sql`d.status = ${filter.status}`);
  if (filter.sources) conditions.push(sql`d.source = any(${filter.sources}::text[])`);
  if (filter.ccPairId) {
    conditions.push(sql`exists (select 1 from document_cc_pair p
      where p.document_id = d.id and p.cc_pair_id = ${filter.ccPairId})`);
  }
  if (filter.documentSet) {
    const reader = { workspaceId, userId: hasPrivate ? userId : null };
    conditions.push(isInDocumentSet('d', reader, [filter.documentSet]));
  }
  if (filter.text) {
    const part = filter.text.toLowerCase();
    conditions.push(sql`(strpos(lower(${SHOWN_TITLE}), ${part}) > 0
      or strpos(lower(d.external_id), ${part}) > 0)`);
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
