import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { emitEvents, type EventToEmit, type ToDeliver } from '#src/webhooks/emit-event.ts';
import { listeningWorkspaces } from '#src/webhooks/listening-workspaces.ts';
import { isVisibleToAll } from './document-access.ts';

/** An event holds up to 256 documents, and titles have no length limit of their own. */
const MAX_TITLE_CHARACTERS = 500;
const MAX_ERROR_CHARACTERS = 2_000;

type DocumentEventType = 'document.indexed' | 'document.failed';

interface AnnouncedDocument {
  workspace_id: WorkspaceId;
  document_id: string;
  semantic_identifier: string;
  source: string;
  chunk_count: number;
  error: string;
  at: Date;
}

/**
 * Notifies webhook endpoints which documents were indexed or failed, one event per workspace. Runs in the transaction
 * that changed their status. Without endpoints it costs only the query that looks for them.
 *
 * Endpoints belong to the administrators of a workspace. Documents that are only in private pairs are visible only to
 * the owners of those pairs, so they are left out.
 * @returns the input of `sendDeliveries`
 */
export async function announceDocuments(
  trx: DatabaseTransaction,
  type: DocumentEventType,
  documents: readonly { id: DocumentId; workspace_id: WorkspaceId }[],
): Promise<ToDeliver> {
  const workspaces = [...new Set(documents.map((document) => document.workspace_id))];
  const listening = await listeningWorkspaces(trx, type, workspaces);
  if (listening.length === 0) return [];
  const { rows } = await sql<AnnouncedDocument>`
    select d.workspace_id, d.external_id as document_id, d.source, d.chunk_count,
      left(d.semantic_identifier, ${MAX_TITLE_CHARACTERS}::int) as semantic_identifier,
      left(coalesce(d.error, ''), ${MAX_ERROR_CHARACTERS}::int) as error, now() as at
    from document d
    where d.id = any(${documents.map(({ id }) => id)}::bigint[])
      and d.workspace_id = any(${listening}::uuid[]) and ${isVisibleToAll('d')}
    order by d.id`.execute(trx);
  const announced = Map.groupBy(rows, (row) => row.workspace_id);
  return emitEvents(
    trx,
    [...announced].map(([workspaceId, group]) => eventOf(type, workspaceId, group)),
  );
}

function eventOf(
  type: DocumentEventType,
  workspaceId: WorkspaceId,
  announced: AnnouncedDocument[],
): EventToEmit {
  const whose = { workspaceId, at: announced[0]?.at ?? new Date() };
  const count = announced.length;
  const named = ({ document_id, semantic_identifier, source }: AnnouncedDocument) => ({
    document_id,
    semantic_identifier,
    source,
  });
  switch (type) {
    case 'document.indexed': {
      const documents = announced.map((row) => ({ ...named(row), chunk_count: row.chunk_count }));
      return { ...whose, type, data: { documents, count } };
    }
    case 'document.failed': {
      const documents = announced.map((row) => ({ ...named(row), error: row.error }));
      return { ...whose, type, data: { documents, count } };
    }
  }
}
