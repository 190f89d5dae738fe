import { sql } from 'kysely';
import type { CcPairId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { checkSource } from './check-source.ts';
import { readConnector } from './connectors.ts';
import { type PairOfWorkspace, resumeLocked } from './control-pair.ts';
import { type CredentialViewer, openCredential, readCredential } from './credentials.ts';
import { assertCredentialFits } from './link-credential.ts';
import { lockOwnPair } from '#src/connectors/runs/request-run.ts';
import { pairsOfConnector, sendDueJobs } from './reschedule-pairs.ts';
import { unknownCredential } from './not-found.ts';
import { kindOfSource } from './validate-config.ts';
import { isStillReferred } from './violated-rule.ts';

/**
 * Gives the only pair of a connector another credential, once the source has accepted it. A pair that stopped because
 * of its credential resumes.
 * @throws Problem NOT_FOUND, BAD_REQUEST with the source's own message, or when the connector has several pairs
 */
export async function swapCredential(
  services: ConnectorServices,
  viewer: CredentialViewer,
  swap: {
    connectorId: number;
    credentialId: number;
    accessType: string | null;
    requestId: string | null;
    signal: AbortSignal;
  },
): Promise<CcPairId> {
  const { db, secrets } = services;
  const { workspaceId } = viewer;
  const connector = await readConnector(db, workspaceId, swap.connectorId);
  const credential = await readCredential(db, viewer, swap.credentialId);
  const ccPairId = await onlyPair(services, viewer, connector.id);
  const kind = kindOfSource(connector.source);
  assertCredentialFits(kind, credential);
  await checkSource(services, {
    workspaceId,
    connector: kind,
    settings: connector.settings,
    credential: openCredential(secrets, credential),
    ccPairId,
    signal: swap.signal,
  });
  const resumed = await attach(services, swap, { workspaceId, ccPairId });
  if (resumed) await sendDueJobs(services, [ccPairId], swap.requestId);
  return ccPairId;
}

/**
 * @returns whether the pair was stopped for a reason that may be gone now, and so resumes
 */
async function attach(
  { db, clock }: Pick<ConnectorServices, 'db' | 'clock'>,
  { credentialId, accessType }: { credentialId: number; accessType: string | null },
  which: PairOfWorkspace,
): Promise<boolean> {
  const { ccPairId } = which;
  try {
    return await db.transaction().execute(async (trx) => {
      await lockOwnPair(trx, which);
      const { rows } = await sql<{ stopped: boolean }>`
        update cc_pair set credential_id = ${credentialId === 0 ? null : credentialId},
          access_type = coalesce(${accessType}, access_type)
        where id = ${ccPairId} and status <> 'DELETING'
        returning status in ('PAUSED', 'INVALID') and status_reason is not null as stopped`.execute(
        trx,
      );
      const [pair] = rows;
      if (!pair) throw new Problem('CONFLICT', `The pair ${ccPairId} is being deleted.`);
      if (pair.stopped) await resumeLocked(trx, ccPairId, clock());
      return pair.stopped;
    });
  } catch (error) {
    throw isStillReferred(error) ? unknownCredential(credentialId) : error;
  }
}

/** @throws Problem BAD_REQUEST unless the connector has exactly one pair */
async function onlyPair(
  { db }: Pick<ConnectorServices, 'db'>,
  { workspaceId }: CredentialViewer,
  connectorId: number,
): Promise<CcPairId> {
  const pairs = await pairsOfConnector(db, workspaceId, connectorId);
  const [pair] = pairs;
  if (pair && pairs.length === 1) return pair.id;
  throw new Problem(
    'BAD_REQUEST',
    pairs.length === 0
      ? `body.connector_id: connector ${connectorId} has no pair. Link it first.`
      : `body.connector_id: connector ${connectorId} has ${pairs.length} pairs, so it is not clear which one is meant. Link the new credential, then delete the old pair.`,
  );
}
