import { sql } from 'kysely';
import type { CcPairId, ConnectorId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorRequest } from './connector-request.ts';
import { lockPairs, reschedulePairs } from './reschedule-pairs.ts';
import { unknownConnector } from './not-found.ts';
import { kindOfSource, validateSettings } from './validate-config.ts';
import { isDuplicate } from './violated-rule.ts';

/** Time between prunes, for an update that does not set it. */
const DEFAULT_PRUNE_SECONDS = 7 * 86_400;

export interface ConnectorRecord {
  id: ConnectorId;
  name: string;
  /** As sent; `kind` is the registry's name for it. */
  source: string;
  kind: string;
  input_type: string;
  access_type: string;
  settings: Record<string, unknown>;
  refresh_freq: number | null;
  prune_freq: number | null;
  indexing_start: Date | null;
  created_at: Date;
  updated_at: Date;
  /** One per pair; 0 is the empty credential. */
  credential_ids: number[];
}

const RECORD = sql`c.id, c.name, c.source, c.kind, c.input_type, c.access_type, c.settings,
  c.refresh_freq, c.prune_freq, c.indexing_start, c.created_at, c.updated_at,
  array(select coalesce(p.credential_id, 0) from cc_pair p where p.connector_id = c.id
    order by 1) as credential_ids`;

/**
 * Stores the request as sent, once its settings are valid for its kind. Nothing is polled until it is linked.
 * @throws Problem BAD_REQUEST that names the field
 */
export async function createConnector(
  db: Database,
  workspaceId: WorkspaceId,
  request: ConnectorRequest,
): Promise<ConnectorId> {
  const { rows } = await sql<{ id: ConnectorId }>`
    insert into connector (workspace_id, name, source, kind, input_type, access_type, settings,
      refresh_freq, prune_freq, indexing_start)
    values (${workspaceId}, ${request.name}, ${request.source}, ${validKind(request)},
      ${request.input_type}, ${request.access_type},
      ${JSON.stringify(request.connector_specific_config)}::json,
      ${request.refresh_freq}, ${request.prune_freq}, ${request.indexing_start})
    on conflict do nothing returning id`.execute(db);
  const [made] = rows;
  if (!made) throw duplicateName();
  return made.id;
}

/**
 * Oldest first.
 * @param credentialId only connectors linked to it
 */
export async function listConnectors(
  db: Database,
  workspaceId: WorkspaceId,
  credentialId: number | null = null,
): Promise<ConnectorRecord[]> {
  const linked =
    credentialId === null
      ? sql``
      : sql`and exists (select 1 from cc_pair p where p.connector_id = c.id
          and coalesce(p.credential_id, 0) = ${credentialId})`;
  const { rows } = await sql<ConnectorRecord>`
    select ${RECORD} from connector c where c.workspace_id = ${workspaceId} ${linked}
    order by c.id`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND */
export async function readConnector(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  id: number,
): Promise<ConnectorRecord> {
  const { rows } = await sql<ConnectorRecord>`
    select ${RECORD} from connector c
    where c.workspace_id = ${workspaceId} and c.id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownConnector(id);
  return found;
}

/**
 * Replaces everything. Changed frequencies take effect at once: the returned pairs have new due times, and the caller
 * sends their jobs.
 * @throws Problem NOT_FOUND, or BAD_REQUEST that names the field
 */
export async function updateConnector(
  db: Database,
  {
    workspaceId,
    userId,
    id,
    now,
  }: { workspaceId: WorkspaceId; userId: UserId; id: number; now: Date },
  request: ConnectorRequest,
): Promise<CcPairId[]> {
  const kind = validKind(request);
  const prune = request.prune_freq ?? DEFAULT_PRUNE_SECONDS;
  try {
    return await db.transaction().execute(async (trx) => {
      await lockPairs(trx, workspaceId, id);
      const before = await lockConnector(trx, workspaceId, id);
      if (before.kind !== kind && (await hasPairs(trx, before.id))) throw kindIsFixed(before);
      await assertOwnCredentials(trx, before, userId, request);
      await sql`update connector set name = ${request.name}, source = ${request.source},
          kind = ${kind}, input_type = ${request.input_type}, access_type = ${request.access_type},
          settings = ${JSON.stringify(request.connector_specific_config)}::json,
          refresh_freq = ${request.refresh_freq}, prune_freq = ${prune},
          indexing_start = ${request.indexing_start}, updated_at = now()
        where id = ${before.id}`.execute(trx);
      await trx
        .updateTable('cc_pair')
        .set({ source: request.source })
        .where('connector_id', '=', before.id)
        .where('source', '<>', request.source)
        .execute();
      // The time between the old start and the new one has never been polled.
      if (before.indexing_start?.getTime() !== request.indexing_start?.getTime()) {
        await trx
          .updateTable('cc_pair')
          .set({ settings_hash: '' })
          .where('connector_id', '=', before.id)
          .where('settings_hash', 'is not', null)
          .execute();
      }
      return reschedulePairs(trx, before.id, {
        now,
        runs: before.refresh_freq !== request.refresh_freq,
        prunes: before.prune_freq !== prune,
      });
    });
  } catch (error) {
    throw isDuplicate(error) ? duplicateName() : error;
  }
}

/**
 * @returns false when it did not exist
 * @throws Problem CONFLICT while it has pairs
 */
export async function deleteConnector(
  db: Database,
  workspaceId: WorkspaceId,
  id: number,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: ConnectorId }>`
      select id from connector where workspace_id = ${workspaceId} and id = ${id}
      for update`.execute(trx);
    const [found] = rows;
    if (!found) return false;
    if (await hasPairs(trx, found.id)) {
      throw new Problem(
        'CONFLICT',
        `Connector ${id} has pairs. Delete them first with POST /manage/admin/deletion-attempt {connector_id, credential_id}, which also removes their documents; the connector goes with its last pair.`,
      );
    }
    await trx.deleteFrom('connector').where('id', '=', found.id).execute();
    return true;
  });
}

/** @throws Problem NOT_FOUND */
/**
 * New settings may name another host, which would then receive the credentials of the connector's pairs.
 * @throws Problem UNAUTHORIZED when one of them is private to another user
 */
async function assertOwnCredentials(
  trx: DatabaseTransaction,
  before: LockedConnector,
  userId: UserId,
  request: ConnectorRequest,
): Promise<void> {
  if (JSON.stringify(before.settings) === JSON.stringify(request.connector_specific_config)) return;
  const { rows } = await sql<{ id: number }>`
    select k.id from cc_pair p join credential k on k.id = p.credential_id
    where p.connector_id = ${before.id} and not k.admin_public
      and k.created_by is distinct from ${userId} limit 1`.execute(trx);
  if (rows.length === 0) return;
  throw new Problem(
    'UNAUTHORIZED',
    `connector_specific_config: connector ${before.id} uses a private credential of another user, which would be sent wherever these settings point. Ask that user, or create your own connector.`,
  );
}

type LockedConnector = Pick<
  ConnectorRecord,
  'id' | 'kind' | 'settings' | 'refresh_freq' | 'prune_freq' | 'indexing_start'
>;

async function lockConnector(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  id: number,
): Promise<LockedConnector> {
  const { rows } = await sql<LockedConnector>`
    select id, kind, settings, refresh_freq, prune_freq, indexing_start from connector
    where workspace_id = ${workspaceId} and id = ${id} for update`.execute(trx);
  const [found] = rows;
  if (!found) throw unknownConnector(id);
  return found;
}

function validKind(request: ConnectorRequest): string {
  const connector = kindOfSource(request.source);
  validateSettings(connector, request.connector_specific_config);
  return connector.kind;
}

async function hasPairs(trx: DatabaseTransaction, id: ConnectorId): Promise<boolean> {
  const pair = await trx
    .selectFrom('cc_pair')
    .select('id')
    .where('connector_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return pair !== undefined;
}

function duplicateName(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'Connector by this name already exists, duplicate naming not allowed. Send another body.name.',
  );
}

function kindIsFixed({ id, kind }: Pick<ConnectorRecord, 'id' | 'kind'>): Problem {
  return new Problem(
    'BAD_REQUEST',
    `body.source: connector ${id} is linked as ${kind} and cannot become another kind. Create a separate connector for the other source.`,
  );
}
