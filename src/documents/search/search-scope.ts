import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { isVisibleTo, privateToOthers } from '#src/documents/document-access.ts';
import {
  areShown,
  GONE,
  goneDocuments,
  HIDDEN,
  hiddenDocuments,
} from '#src/documents/shown-chunks.ts';
import type { QueryCondition } from './parse-query.ts';
import { titleCondition } from './query-conditions.ts';
import { filteredDocuments, type SearchFilters } from './search-filters.ts';

/** What a search may see, and how many chunks each of its halves (terms and vectors) returns. */
export interface SearchScope {
  workspaceId: WorkspaceId;
  /** The user who searches; null if no document is private to others. */
  userId: UserId | null;
  filters: SearchFilters;
  /** What the query demands beside its words. */
  conditions: readonly QueryCondition[];
  /** Also documents that people hid. */
  includesHidden: boolean;
  limit: number;
}

export interface FoundChunk {
  /** Chunk id. */
  key: number;
  documentId: DocumentId;
  score: number;
}

/** Condition for chunks that a search may find: of a visible document, and not hidden themselves. */
export function searchable(scope: SearchScope): RawBuilder<unknown> {
  return sql`${visible(scope)} and ${areShown(scope.workspaceId)}`;
}

/**
 * The same for a search without filters, asked of each row by itself: cheaper where few rows are asked, and many
 * documents of the workspace are left out.
 */
export function searchableByRow({
  workspaceId,
  userId,
  includesHidden,
}: Visibility): RawBuilder<unknown> {
  const isLeftOut = includesHidden === true ? GONE : HIDDEN;
  const isSeen = userId === null ? sql`true` : isVisibleTo('d', userId);
  return sql`workspace_id = ${workspaceId} and ${areShown(workspaceId)}
    and (select ${isLeftOut} is not true and ${isSeen} from document d where d.id = document_id)`;
}

/** Whether a search without filters leaves out at least so many documents. */
export function leavesOut(
  { workspaceId, userId, includesHidden }: Visibility,
  many: number,
): RawBuilder<boolean> {
  const hidden =
    includesHidden === true ? goneDocuments(workspaceId) : hiddenDocuments(workspaceId);
  const ofOthers =
    userId === null ? sql`` : sql` union all (${privateToOthers(workspaceId, userId)})`;
  return sql<boolean>`((select count(*) from ((${hidden})${ofOthers} limit ${many}) one) >= ${many})`;
}

/** What decides whether a document may be found at all. */
export type Visibility = Pick<SearchScope, 'workspaceId' | 'userId' | 'filters'> &
  Partial<Pick<SearchScope, 'conditions' | 'includesHidden'>>;

/** Condition for rows of the workspace whose document passes the filters, and is not hidden or private to others. */
export function visible(scope: Visibility): RawBuilder<unknown> {
  const { workspaceId, userId, filters } = scope;
  const hidden =
    scope.includesHidden === true ? goneDocuments(workspaceId) : hiddenDocuments(workspaceId);
  const allowed = filteredDocuments(workspaceId, userId, filters);
  const titled = titleCondition(workspaceId, scope.conditions ?? []);
  const notHidden = sql`workspace_id = ${workspaceId} and document_id not in (${hidden})${
    userId === null ? sql`` : sql` and document_id not in (${privateToOthers(workspaceId, userId)})`
  }${titled === null ? sql`` : sql` and ${titled}`}`;
  return allowed ? sql`${notHidden} and document_id in (${allowed})` : notHidden;
}
