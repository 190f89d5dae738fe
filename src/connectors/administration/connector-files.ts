import { sql } from 'kysely';
import { z } from 'zod';
import { documentsOfPair, dropDocuments } from '#src/documents/drop-documents.ts';
import type { StoredFile } from '#src/files/file-store.ts';
import { deleteFileRows, findStoredFiles } from '#src/files/stored-file-rows.ts';
import type { CcPairId, ConnectorId, DocumentId, StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { fileKey } from '#src/connectors/kinds/file/file-settings.ts';
import { hashSettings } from '#src/connectors/runs/open-pair.ts';
import { RUNNABLE } from '#src/connectors/runs/open-run.ts';
import { unknownConnector } from './not-found.ts';
import { lockPairs } from './reschedule-pairs.ts';

/** The settings of a `file` connector that name its files; other settings pass through. */
const fileSettings = z.looseObject({
  file_locations: z.array(z.uuid().transform((id) => id as StoredFileId)),
  file_names: z.array(z.string()).nullish(),
  zip_metadata_file_id: z.string().nullish(),
});
type FileSettings = z.output<typeof fileSettings>;

export interface ConnectorFile {
  id: StoredFileId;
  name: string;
  /** Null when the file is gone. */
  byteCount: number | null;
  uploadedAt: Date | null;
}

interface ConnectorAddress {
  workspaceId: WorkspaceId;
  connectorId: number;
}

/**
 * The files of a `file` connector, in its order.
 * @throws Problem NOT_FOUND, BAD_REQUEST for another kind
 */
export async function listConnectorFiles(
  db: Database,
  address: ConnectorAddress,
): Promise<ConnectorFile[]> {
  const settings = await readSettings(db, address, 'no-lock');
  const stored = await findStoredFiles(db, address.workspaceId, settings.file_locations);
  return settings.file_locations.map((id, index) => {
    const file = stored.get(id);
    return {
      id,
      name: settings.file_names?.[index] ?? file?.name ?? id,
      byteCount: file?.byte_count ?? null,
      uploadedAt: file?.created_at ?? null,
    };
  });
}

export interface FilesChange {
  add: readonly StoredFile[];
  /** The metadata file uploaded with the added files. */
  zipMetadataFileId: StoredFileId | null;
  remove: readonly StoredFileId[];
}

export interface ChangedFiles {
  ids: StoredFileId[];
  names: string[];
  zipMetadataFileId: string | null;
  /** Removed files that no other connector names: their content can be deleted. */
  orphaned: StoredFileId[];
  /** Documents of removed files, marked for deletion: to be sent to the index workers. */
  dropped: DocumentId[];
}

/**
 * Updates a connector's list of files; the files themselves stay in storage.
 * @throws Problem NOT_FOUND, or BAD_REQUEST for another kind, an id that the connector does not have, or when no file
 * would be left
 */
export async function changeConnectorFiles(
  db: Database,
  address: ConnectorAddress,
  change: FilesChange,
): Promise<ChangedFiles> {
  return db.transaction().execute(async (trx) => {
    await lockPairs(trx, address.workspaceId, address.connectorId);
    const settings = await readSettings(trx, address, 'lock');
    const removed = new Set(change.remove);
    const unknown = change.remove.find((id) => !settings.file_locations.includes(id));
    if (unknown !== undefined) {
      throw new Problem(
        'BAD_REQUEST',
        `file_ids_to_remove: the connector has no file ${unknown}. GET /manage/admin/connector/${address.connectorId}/files lists its files.`,
      );
    }
    const stored = await findStoredFiles(trx, address.workspaceId, settings.file_locations);
    const files = [
      ...settings.file_locations.map((id, index) => ({
        id,
        name: settings.file_names?.[index] ?? stored.get(id)?.name ?? id,
      })),
      ...change.add,
    ].filter(({ id }) => !removed.has(id));
    if (files.length === 0) {
      throw new Problem(
        'BAD_REQUEST',
        'No file would be left. Keep one, send another with this request, or delete the connector.',
      );
    }
    const ids = files.map(({ id }) => id);
    const names = files.map(({ name }) => name);
    // Later files carry their own metadata, so the first metadata file stays the connector's.
    const zipMetadataFileId = settings.zip_metadata_file_id ?? change.zipMetadataFileId;
    const changed: FileSettings = {
      ...settings,
      file_locations: ids,
      file_names: names,
      zip_metadata_file_id: zipMetadataFileId,
    };
    await trx
      .updateTable('connector')
      .set({ settings: JSON.stringify(changed), updated_at: sql<Date>`now()` })
      .where('id', '=', address.connectorId as ConnectorId) // its row has been found
      .execute();
    await keepRunState(trx, address, hashSettings(changed));
    const orphaned = await unusedFiles(trx, address.workspaceId, [...removed]);
    const dropped = await dropDocumentsOf(trx, address, [...removed]);
    return { ids, names, zipMetadataFileId, orphaned, dropped };
  });
}

/** The remaining files have not changed, so the new settings need no run from the beginning. */
async function keepRunState(
  trx: DatabaseTransaction,
  { connectorId }: ConnectorAddress,
  hash: string,
): Promise<void> {
  await trx
    .updateTable('cc_pair')
    .set({ settings_hash: hash })
    .where('connector_id', '=', connectorId as ConnectorId) // its row has been found
    .where('settings_hash', 'is not', null)
    .execute();
  await sql`update index_attempt set settings_hash = ${hash} where id in (
    select max(a.id) from index_attempt a join cc_pair p on p.id = a.cc_pair_id
    where p.connector_id = ${connectorId} group by p.id)`.execute(trx);
}

/** The connector's memory tells which document a file became; see `file.ts`. */
async function dropDocumentsOf(
  trx: DatabaseTransaction,
  { connectorId }: ConnectorAddress,
  removed: readonly StoredFileId[],
): Promise<DocumentId[]> {
  const { rows } = await sql<{ cc_pair_id: CcPairId; document_id: string }>`
    delete from connector_memory m using cc_pair p
    where p.connector_id = ${connectorId} and m.cc_pair_id = p.id and m.document_id is not null
      and m.key = any(${removed.map(fileKey)}::text[])
    returning m.cc_pair_id, m.document_id`.execute(trx);
  const dropped: DocumentId[] = [];
  for (const [pair, found] of Map.groupBy(rows, (row) => row.cc_pair_id)) {
    const ids = found.map((row) => row.document_id);
    const { marked } = await dropDocuments(trx, pair, await documentsOfPair(trx, pair, ids));
    dropped.push(...marked);
  }
  return dropped;
}

/** The pairs that poll this connector: not paused, invalid or being deleted. */
export async function findPollingPairs(
  db: Database,
  { workspaceId, connectorId }: ConnectorAddress,
): Promise<CcPairId[]> {
  const rows = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('connector_id', '=', connectorId as ConnectorId) // ids of another workspace match no row
    .where('status', 'in', RUNNABLE)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

async function readSettings(
  db: Database | DatabaseTransaction,
  { workspaceId, connectorId }: ConnectorAddress,
  lock: 'lock' | 'no-lock',
): Promise<FileSettings> {
  const { rows } = await sql<{ kind: string; settings: unknown }>`
    select kind, settings from connector
    where workspace_id = ${workspaceId} and id = ${connectorId}
    ${lock === 'lock' ? sql`for update` : sql``}`.execute(db);
  const [connector] = rows;
  if (!connector) throw unknownConnector(connectorId);
  const settings = fileSettings.safeParse(connector.settings);
  if (connector.kind === 'file' && settings.success) return settings.data;
  throw new Problem(
    'BAD_REQUEST',
    `Connector ${connectorId} is of the kind ${connector.kind} and has no files. Only connectors of kind file have files.`,
  );
}

/** Called when a connector of kind `file` is deleted: deletes its uploads, unless another connector names them. */
export async function deleteFilesOf(
  trx: DatabaseTransaction,
  connector: { kind: string; workspace_id: WorkspaceId; settings: unknown },
): Promise<void> {
  const settings = fileSettings.safeParse(connector.settings);
  if (connector.kind !== 'file' || !settings.success) return;
  const unused = await unusedFiles(trx, connector.workspace_id, settings.data.file_locations);
  await deleteFileRows(trx, connector.workspace_id, unused);
}

/** The files that no connector of the workspace names. */
async function unusedFiles(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  ids: readonly StoredFileId[],
): Promise<StoredFileId[]> {
  const { rows } = await sql<{ id: StoredFileId }>`
    select id from unnest(${ids}::uuid[]) as removed(id)
    where not exists (
      select from connector c where c.workspace_id = ${workspaceId}
        and position(removed.id::text in c.settings::text) > 0)`.execute(trx);
  return rows.map(({ id }) => id);
}
