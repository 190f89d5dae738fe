import { type RawBuilder, sql } from 'kysely';
import { countByPair, type DocumentCounts } from '#src/documents/documents-of-pair.ts';
import type { CcPairId, ConnectorId, IndexAttemptId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { IndexAttemptStatus, PairStatus } from '#src/tables/connectors.ts';
import { type ConnectorRecord, listConnectors } from './connectors.ts';
import { type CredentialRecord, EMPTY_CREDENTIAL, readCredentials } from './credentials.ts';
import { unknownPair } from './not-found.ts';

/** This many failed runs in a row mean a permanent problem. */
const REPEATED_FAILURES = 5;

/** Counts of a pair's documents by outcome. */
/** What an overview shows of a pair's run. */
export interface LastRun {
  id: IndexAttemptId;
  status: IndexAttemptStatus;
  fetched: number;
  accepted: number;
  unchanged: number;
  error: string | null;
  checkpoint_description: string | null;
  started_at: Date | null;
  updated_at: Date;
  finished_at: Date | null;
}

interface PairRow {
  id: CcPairId;
  name: string;
  source: string;
  access_type: string;
  status: PairStatus;
  status_reason: string | null;
  created_by: UserId | null;
  creator_email: string | null;
  connector_id: ConnectorId;
  /** 0 is the empty credential. */
  credential_id: number;
  next_run_at: Date | null;
  next_prune_at: Date | null;
  last_success_at: Date | null;
  last_pruned_at: Date | null;
  failed_runs: number;
  deletion_requested_at: Date | null;
  deletion_error: string | null;
}

export interface PairOverview extends PairRow {
  connector: ConnectorRecord;
  credential: CredentialRecord;
  documents: DocumentCounts;
  /** The newest run, finished or not; null before the first. */
  lastRun: LastRun | null;
  /** The newest finished run. */
  lastFinishedRun: LastRun | null;
}

/** The pairs that have a connector, oldest first: the default pair and push-only pairs are not shown. */
export async function listPairs(db: Database, workspaceId: WorkspaceId): Promise<PairOverview[]> {
  return readPairs(db, workspaceId, sql``);
}

/** @throws Problem NOT_FOUND */
export async function findPair(
  db: Database,
  workspaceId: WorkspaceId,
  id: number,
): Promise<PairOverview> {
  const [found] = await readPairs(db, workspaceId, sql`and p.id = ${id}`);
  if (!found) throw unknownPair(id);
  return found;
}

/** @throws Problem NOT_FOUND */
export async function findPairId(
  db: Database,
  workspaceId: WorkspaceId,
  id: number,
): Promise<CcPairId> {
  const found = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id as CcPairId) // comes from the caller; the query decides whether it is a pair's id
    .where('connector_id', 'is not', null)
    .executeTakeFirst();
  if (!found) throw unknownPair(id);
  return found.id;
}

/** A run that waits for a worker counts: it needs no other start. */
export function isIndexing({ lastRun }: Pick<PairOverview, 'lastRun'>): boolean {
  return lastRun?.status === 'not_started' || lastRun?.status === 'in_progress';
}

export function isRepeatedlyFailing(
  pair: Pick<PairOverview, 'failed_runs' | 'connector'>,
): boolean {
  const limit = pair.connector.refresh_freq === null ? 1 : REPEATED_FAILURES;
  return pair.failed_runs >= limit;
}

async function readPairs(
  db: Database,
  workspaceId: WorkspaceId,
  condition: RawBuilder<unknown>,
): Promise<PairOverview[]> {
  const { rows: pairs } = await sql<PairRow>`
    select p.id, p.name, p.source, p.access_type, p.status, p.status_reason, p.created_by,
      u.email as creator_email, p.connector_id, coalesce(p.credential_id, 0) as credential_id,
      p.next_run_at, p.next_prune_at, p.last_success_at, p.last_pruned_at, p.failed_runs,
      p.deletion_requested_at, p.deletion_error
    from cc_pair p left join user_account u on u.id = p.created_by
    where p.workspace_id = ${workspaceId} and p.connector_id is not null and not p.is_default
      ${condition}
    order by p.id`.execute(db);
  if (pairs.length === 0) return [];
  const ids = pairs.map(({ id }) => id);
  const connectors = byId(await listConnectors(db, workspaceId));
  const credentialIds = [...new Set(pairs.map((pair) => pair.credential_id))];
  const credentials = byId(await readCredentials(db, workspaceId, credentialIds));
  const documents = await countByPair(db, ids);
  const lastRuns = await readLastRuns(db, ids, sql``);
  const finished = await readLastRuns(
    db,
    ids,
    sql`and a.status not in ('not_started', 'in_progress')`,
  );
  return pairs.flatMap((pair) => {
    // Read a moment after the pair: a connector deleted since then took its pair with it.
    const connector = connectors.get(pair.connector_id);
    if (!connector) return [];
    return {
      ...pair,
      connector,
      credential: credentials.get(pair.credential_id) ?? EMPTY_CREDENTIAL,
      documents: documents.get(pair.id) ?? { indexed: 0, pending: 0, failed: 0 },
      lastRun: lastRuns.get(pair.id) ?? null,
      lastFinishedRun: finished.get(pair.id) ?? null,
    };
  });
}

/** One index lookup per pair, however many runs there are. */
async function readLastRuns(
  db: Database,
  ids: readonly CcPairId[],
  condition: RawBuilder<unknown>,
): Promise<Map<CcPairId, LastRun>> {
  const { rows } = await sql<LastRun & { cc_pair_id: CcPairId }>`
    select a.* from unnest(${ids}::int[]) as pair(id)
    cross join lateral (
      select a.cc_pair_id, a.id, a.status, a.fetched, a.accepted, a.unchanged, a.error,
        a.checkpoint_description, a.started_at, a.updated_at, a.finished_at
      from index_attempt a where a.cc_pair_id = pair.id ${condition}
      order by a.id desc limit 1) a`.execute(db);
  return new Map(rows.map(({ cc_pair_id, ...run }) => [cc_pair_id, run]));
}

function byId<Id extends number, T extends { id: Id }>(records: readonly T[]): Map<number, T> {
  return new Map(records.map((record) => [record.id, record]));
}
