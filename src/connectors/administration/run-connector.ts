import { Problem } from '#src/platform/errors.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { readConnector } from './connectors.ts';
import { isRunnable } from '#src/connectors/runs/open-run.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { pairsOfConnector } from './reschedule-pairs.ts';

/**
 * Starts a run of each of a connector's pairs, or of those with the given credentials. Skips paused pairs.
 * @returns how many runs were requested
 * @throws Problem NOT_FOUND, BAD_REQUEST when there is no such pair, CONFLICT when all of them are stopped
 */
export async function runConnector(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log' | 'clock'>,
  request: {
    workspaceId: WorkspaceId;
    connectorId: number;
    /** Empty: all. */
    credentialIds: readonly number[];
    fromBeginning: boolean;
    requestId: string | null;
  },
): Promise<number> {
  const { workspaceId, connectorId, credentialIds, fromBeginning, requestId } = request;
  await readConnector(services.db, workspaceId, connectorId);
  const pairs = await pairsOfConnector(services.db, workspaceId, connectorId);
  const unlinked = credentialIds.find(
    (id) => !pairs.some(({ credential_id }) => credential_id === id),
  );
  if (unlinked !== undefined || pairs.length === 0) {
    const which = unlinked === undefined ? 'any credential' : `credential ${unlinked}`;
    throw new Problem(
      'BAD_REQUEST',
      `Connector ${connectorId} is not linked to ${which}. Link it with PUT /manage/admin/connector/${connectorId}/credential/{credential_id}.`,
    );
  }
  const chosen = pairs.filter(
    ({ credential_id }) => credentialIds.length === 0 || credentialIds.includes(credential_id),
  );
  const runnable = chosen.filter(isRunnable);
  if (runnable.length === 0) {
    throw new Problem(
      'CONFLICT',
      `No pair of connector ${connectorId} can run: each is paused, invalid or being deleted. Resume one with PUT /manage/admin/cc-pair/{id}/status.`,
    );
  }
  for (const { id } of runnable) {
    await requestRun(services, { workspaceId, ccPairId: id, fromBeginning, requestId });
  }
  return runnable.length;
}
