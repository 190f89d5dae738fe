import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { isVisibleTo, type Reader } from './document-access.ts';
import { LINK, SHOWN_TITLE } from './shown-columns.ts';

/** A higher boost has no further effect. */
export const MAX_BOOST = 100;

/** Changes to how searches treat a document; absent fields stay as they are. */
export interface Curation {
  boost?: number | undefined;
  hidden?: boolean | undefined;
}

export interface CuratedDocument {
  external_id: string;
  semantic_identifier: string;
  link: string | null;
  boost: number;
  hidden: boolean;
}

/**
 * Sets how searches treat a document, from the next search on. Its content, revision and index stay as they are.
 * @returns false when there is none that this user may see
 */
export async function curateDocument(
  db: Database,
  { workspaceId, userId }: Reader,
  externalId: string,
  { boost, hidden }: Curation,
): Promise<boolean> {
  const { rows } = await sql`
    update document d set boost = coalesce(${boost ?? null}::integer, boost),
      hidden = coalesce(${hidden ?? null}::boolean, hidden)
    where workspace_id = ${workspaceId} and external_id = ${externalId} and status <> 'deleting'
      and ${isVisibleTo('d', userId)} returning id`.execute(db);
  return rows.length > 0;
}

/** Documents that are boosted or hidden and that this user may see: by boost, then newest first. */
export async function listCurated(
  db: Database,
  { workspaceId, userId }: Reader,
  { ascending, limit }: { ascending: boolean; limit: number },
): Promise<CuratedDocument[]> {
  const { rows } = await sql<CuratedDocument>`
    select d.external_id, ${SHOWN_TITLE} as semantic_identifier,
      ${LINK} as link, d.boost, d.hidden
    from (
      select id from document where workspace_id = ${workspaceId} and boost <> 0
      union select id from document where workspace_id = ${workspaceId} and hidden) curated
    join document d on d.id = curated.id
    where d.status <> 'deleting' and ${isVisibleTo('d', userId)}
    order by d.boost * ${ascending ? 1 : -1}::integer, d.id desc limit ${limit}`.execute(db);
  return rows;
}
