import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { CcPairId, ConnectorId, CredentialId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { PairStatus } from '#src/tables/connectors.ts';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import { findConnector } from '#src/connectors/kinds/registry.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';

/** A pair with what a run needs of its connector; the credential is still sealed. */
export interface PairRow {
  id: CcPairId;
  workspace_id: WorkspaceId;
  name: string;
  status: PairStatus;
  next_run_at: Date | null;
  next_prune_at: Date | null;
  synced_until: Date | null;
  last_success_at: Date | null;
  settings_hash: string | null;
  failed_runs: number;
  connector_id: ConnectorId;
  credential_id: CredentialId | null;
  source: string;
  settings: Record<string, unknown>;
  refresh_freq: number | null;
  prune_freq: number | null;
  indexing_start: Date | null;
  secret: string | null;
}

/** Null when there is no such pair, or it has no connector. */
export async function readPair(
  db: Database | DatabaseTransaction,
  id: CcPairId,
  lock: 'lock' | 'no-lock' = 'no-lock',
): Promise<PairRow | null> {
  const { rows } = await sql<PairRow>`
    select p.id, p.workspace_id, p.name, p.status, p.next_run_at, p.next_prune_at, p.synced_until,
      p.last_success_at, p.settings_hash, p.failed_runs, p.connector_id, p.credential_id,
      c.source, c.settings, c.refresh_freq, c.prune_freq, c.indexing_start, k.secret
    from cc_pair p
    join connector c on c.id = p.connector_id
    left join credential k on k.id = p.credential_id
    where p.id = ${id} ${lock === 'lock' ? sql`for update of p` : sql``}`.execute(db);
  return rows[0] ?? null;
}

/**
 * A transaction that writes a pair and its runs locks the pair first, to prevent deadlocks. Null when the pair is
 * gone.
 */
export async function lockPair(
  trx: DatabaseTransaction,
  id: CcPairId,
): Promise<{ next_run_at: Date | null; refresh_freq: number | null } | null> {
  const { rows } = await sql<{ next_run_at: Date | null; refresh_freq: number | null }>`
    select p.next_run_at, c.refresh_freq from cc_pair p
    left join connector c on c.id = p.connector_id
    where p.id = ${id} for no key update of p`.execute(trx);
  return rows[0] ?? null;
}

/** The connector, settings and credential of a pair, parsed by the kind's own schemas. */
export interface OpenPair {
  connector: AnyConnector;
  settings: unknown;
  credential: unknown;
}

/**
 * Unseals and parses.
 * @throws SourceRefused or CredentialRejected naming the field that is no longer valid, SourceUnavailable for another
 * encryption key
 */
export function openPair({ secrets }: Pick<ConnectorServices, 'secrets'>, pair: PairRow): OpenPair {
  const connector = findConnector(pair.source);
  if (!connector) {
    throw new SourceRefused(
      `This version of Millrace has no connector for the source "${pair.source}".`,
    );
  }
  const settings = connector.settings.safeParse(pair.settings);
  if (!settings.success) {
    throw new SourceRefused(`connector_specific_config is not valid: ${issuesOf(settings.error)}.`);
  }
  const credential = connector.credential.safeParse(unseal(secrets, pair));
  if (!credential.success) {
    throw new CredentialRejected(`credential_json is not valid: ${issuesOf(credential.error)}.`);
  }
  return { connector, settings: settings.data, credential: credential.data };
}

/** Equal settings have equal hashes. After a change of settings, everything must be read again. */
export function hashSettings(settings: Record<string, unknown>): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

function unseal(secrets: ConnectorServices['secrets'], pair: PairRow): unknown {
  if (pair.secret === null) return {};
  try {
    return JSON.parse(secrets.open(pair.secret, `credential:${pair.credential_id}`));
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    // With the right key it can be read again, so the run waits for it.
    throw new SourceUnavailable(error.message, { cause: error });
  }
}

function issuesOf(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
