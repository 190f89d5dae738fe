import { sql } from 'kysely';
import type { CcPairId, CredentialId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { checkSource } from './check-source.ts';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import type { LinkRequest } from './connector-request.ts';
import { type ConnectorRecord, readConnector } from './connectors.ts';
import {
  type CredentialRecord,
  type CredentialViewer,
  EMPTY_CREDENTIAL,
  openCredential,
  readCredential,
} from './credentials.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { sendPrune } from '#src/connectors/runs/send-jobs.ts';
import { type StatusResponse, succeeded } from './status-response.ts';
import { unknownConnector } from './not-found.ts';
import { kindOfSource, takesEmptyCredential } from './validate-config.ts';
import { isStillReferred } from './violated-rule.ts';

/** "Wiki", "Wiki (2)", … */
const MAX_NAMES = 100;

export interface Link {
  viewer: CredentialViewer;
  connectorId: number;
  credentialId: number;
  request: LinkRequest;
  requestId: string | null;
  signal: AbortSignal;
}

/**
 * Creates the pair of a connector and a credential and starts its first run, once the source has answered. For an
 * existing link it returns `success: false`, as existing clients expect.
 * @throws Problem NOT_FOUND, or BAD_REQUEST with the source's own message; nothing is left behind then
 */
export async function linkCredential(
  services: ConnectorServices,
  link: Link,
): Promise<StatusResponse> {
  const { db, secrets } = services;
  const { viewer, connectorId, credentialId, signal, requestId } = link;
  const { workspaceId } = viewer;
  const connector = await readConnector(db, workspaceId, connectorId);
  const credential = await readCredential(db, viewer, credentialId);
  if (await isLinked(db, link)) return alreadyLinked(link);
  const kind = kindOfSource(connector.source);
  assertCredentialFits(kind, credential);
  if (link.request.name !== null) await assertFreeName(db, link, link.request.name);
  await checkSource(services, {
    workspaceId,
    connector: kind,
    settings: connector.settings,
    credential: openCredential(secrets, credential),
    ccPairId: null,
    signal,
  });
  const now = services.clock();
  const pruneAt = secondsAfter(now, connector.prune_freq);
  const ccPairId = await insertPair(db, link, connector, { now, pruneAt });
  if (ccPairId === null) return alreadyLinked(link);
  await requestRun(services, { workspaceId, ccPairId, fromBeginning: false, requestId });
  if (pruneAt) await sendPrune(services, ccPairId, pruneAt, requestId);
  return succeeded(
    `Creating new association between Connector ${connectorId} and Credential ${credentialId}`,
    ccPairId,
  );
}

/** @throws Problem BAD_REQUEST when the credential is not for this kind of source */
export function assertCredentialFits(kind: AnyConnector, credential: CredentialRecord): void {
  if (credential.id === EMPTY_CREDENTIAL.id) {
    if (takesEmptyCredential(kind)) return;
    throw new Problem(
      'BAD_REQUEST',
      `credential_id: ${kind.title} needs a credential of its own, 0 is the empty one. Make one with POST /manage/credential and the source ${kind.kind}.`,
    );
  }
  if (credential.kind === kind.kind) return;
  throw new Problem(
    'BAD_REQUEST',
    `credential_id: credential ${credential.id} is for ${credential.source}, the connector for ${kind.kind}. GET /manage/admin/similar-credentials/${kind.kind} lists those that fit.`,
  );
}

async function isLinked(db: Database, { connectorId, credentialId }: Link): Promise<boolean> {
  const { rows } = await sql`select 1 from cc_pair where connector_id = ${connectorId}
    and coalesce(credential_id, 0) = ${credentialId}`.execute(db);
  return rows.length > 0;
}

function alreadyLinked({ connectorId, credentialId }: Link): StatusResponse {
  return {
    success: false,
    message: `Connector ${connectorId} already has Credential ${credentialId}`,
    data: connectorId,
  };
}

async function assertFreeName(db: Database, { viewer }: Link, name: string): Promise<void> {
  const taken = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('workspace_id', '=', viewer.workspaceId)
    .where('name', '=', name)
    .where('connector_id', 'is not', null)
    .executeTakeFirst();
  if (taken) throw nameIsTaken();
}

interface DueTimes {
  now: Date;
  pruneAt: Date | null;
}

/**
 * @returns null when another request linked the two in the meantime
 */
async function insertPair(
  db: Database,
  link: Link,
  connector: ConnectorRecord,
  due: DueTimes,
): Promise<CcPairId | null> {
  const wanted = link.request.name;
  for (let count = 1; count <= (wanted === null ? MAX_NAMES : 1); count += 1) {
    const name = wanted ?? (count === 1 ? connector.name : `${connector.name} (${count})`);
    const made = await tryInsert(db, link, connector, { ...due, name });
    if (made !== null) return made;
    if (await isLinked(db, link)) return null;
  }
  throw nameIsTaken();
}

/**
 * A single statement, so that two concurrent calls create one pair.
 * @returns null when the link or the name already exists
 */
async function tryInsert(
  db: Database,
  { viewer, credentialId, request }: Link,
  connector: ConnectorRecord,
  { name, now, pruneAt }: DueTimes & { name: string },
): Promise<CcPairId | null> {
  try {
    const made = await db
      .insertInto('cc_pair')
      .values({
        workspace_id: viewer.workspaceId,
        name,
        source: connector.source,
        connector_id: connector.id,
        // The credential has been read, so its id is one.
        credential_id: credentialId === 0 ? null : (credentialId as CredentialId),
        access_type: request.accessType ?? connector.access_type,
        status: 'SCHEDULED',
        created_by: viewer.userId,
        next_run_at: now,
        next_prune_at: pruneAt,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return made?.id ?? null;
  } catch (error) {
    // Deleted while the source was being checked.
    throw isStillReferred(error) ? unknownConnector(connector.id) : error;
  }
}

function secondsAfter(now: Date, seconds: number | null): Date | null {
  return seconds === null ? null : new Date(now.getTime() + seconds * 1_000);
}

function nameIsTaken(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'Name must be unique: another pair has it. Send another body.name.',
  );
}
