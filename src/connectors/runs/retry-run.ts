import { sql } from 'kysely';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { requestPrune } from './request-prune.ts';
import { requestRun } from './request-run.ts';

type RetryServices = Pick<ConnectorServices, 'clock' | 'db' | 'log' | 'producer'>;
interface Pair {
  workspaceId: WorkspaceId;
  ccPairId: CcPairId;
}

/**
 * Starts a run in the place of one that failed.
 * @returns false when a later one has taken its place already
 * @throws Problem CONFLICT when the pair is paused, invalid or being deleted
 */
export async function retryRun(
  services: RetryServices,
  id: string,
  requestId: string,
): Promise<boolean> {
  const pair = await pairOfLast(services.db, id);
  if (pair === null) return false;
  await requestRun(services, { ...pair, fromBeginning: false, requestId });
  return true;
}

/** The same for a prune. */
export async function retryPrune(
  services: RetryServices,
  id: string,
  requestId: string,
): Promise<boolean> {
  const pair = await pairOfLastPrune(services.db, id);
  if (pair === null) return false;
  await requestPrune(services, { ...pair, confirm: null, requestId });
  return true;
}

async function pairOfLast(db: Database, id: string): Promise<Pair | null> {
  const { rows } = await sql<Pair>`
    select workspace_id as "workspaceId", cc_pair_id as "ccPairId" from index_attempt a
    where id = ${Number(id)} and status = 'failed' and not exists (select 1 from index_attempt b
      where b.cc_pair_id = a.cc_pair_id and b.id > a.id)`.execute(db);
  return rows[0] ?? null;
}

async function pairOfLastPrune(db: Database, id: string): Promise<Pair | null> {
  const { rows } = await sql<Pair>`
    select workspace_id as "workspaceId", cc_pair_id as "ccPairId" from prune_attempt a
    where id = ${Number(id)} and status = 'failed' and not exists (select 1 from prune_attempt b
      where b.cc_pair_id = a.cc_pair_id and b.id > a.id)`.execute(db);
  return rows[0] ?? null;
}
