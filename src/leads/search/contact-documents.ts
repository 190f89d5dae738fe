import { sql } from 'kysely';
import { privateToOthers } from '#src/documents/document-access.ts';
import { HIDDEN } from '#src/documents/shown-chunks.ts';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { discoverPages } from '#src/leads/visit/discover-pages.ts';

/** Contact pages have short addresses; further documents are not examined. */
const MAX_LOOKED_AT = 500;
const MAX_CONTACT_PAGES = 8;

/**
 * Indexed pages of the given hosts whose address or title is about contacts, the company or its people: at most eight
 * per host, the clearest names first. Excludes other users' private documents.
 * @param hosts with the registrable domain of each
 */
export async function contactDocuments(
  db: Database,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  hosts: ReadonlyMap<string, string>,
): Promise<Map<string, DocumentId[]>> {
  if (hosts.size === 0) return new Map();
  const rows = await shortestAddresses(db, { workspaceId, userId }, [...hosts.keys()]);
  const byHost = new Map<string, DocumentId[]>();
  for (const [host, pages] of Map.groupBy(rows, (row) => row.host)) {
    const domain = hosts.get(host) ?? host;
    const named = pages.flatMap(({ id, url, title }) => {
      const [page] = discoverPages({ url: '', links: [{ url, text: title }] }, domain);
      return page && page.kind !== 'privacy' ? [{ id, share: page.share }] : [];
    });
    const best = named.toSorted((a, b) => b.share - a.share).slice(0, MAX_CONTACT_PAGES);
    byHost.set(
      host,
      best.map(({ id }) => id),
    );
  }
  return byHost;
}

interface IndexedAddress {
  id: DocumentId;
  host: string;
  url: string;
  title: string;
}

/** Web connectors use the URL of a page as the id of its document. */
async function shortestAddresses(
  db: Database,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  hosts: readonly string[],
): Promise<IndexedAddress[]> {
  const { rows } = await sql<IndexedAddress>`
    select id, host, url, title from (
      select id, host, external_id as url, semantic_identifier as title,
        row_number() over (partition by host order by length(external_id), external_id) as place
      from (select id, external_id, semantic_identifier,
          lower(substring(external_id from '^https?://([^/?#:]+)')) as host
        from document
        where workspace_id = ${workspaceId} and source = 'web' and ${HIDDEN} is not true
          and id not in (${privateToOthers(workspaceId, userId)})) page
      where host = any(${[...hosts]}::text[])) ranked
    where place <= ${MAX_LOOKED_AT} order by host, place`.execute(db);
  return rows;
}
