import { sql } from 'kysely';
import type { CcPairId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { readConnector } from './connectors.ts';
import { type CredentialViewer, EMPTY_CREDENTIAL, readCredentials } from './credentials.ts';
import { requestDeletion } from './request-deletion.ts';
import { unknownCredential } from './not-found.ts';

export interface LinkToDelete {
  viewer: CredentialViewer;
  connectorId: number;
  credentialId: number;
  requestId: string | null;
}

/**
 * Requests the deletion of a pair; a job removes it and the documents that no other pair has.
 * @returns false when the two are not linked
 * @throws Problem NOT_FOUND for an unknown connector or credential
 */
export async function unlinkCredential(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log'>,
  link: LinkToDelete,
): Promise<boolean> {
  const { db } = services;
  const { workspaceId } = link.viewer;
  await readConnector(db, workspaceId, link.connectorId);
  await assertCredential(db, link);
  const { rows } = await sql<{ id: CcPairId }>`
    select id from cc_pair where workspace_id = ${workspaceId}
      and connector_id = ${link.connectorId}
      and coalesce(credential_id, 0) = ${link.credentialId}`.execute(db);
  const [pair] = rows;
  if (!pair) return false;
  await requestDeletion(services, {
    workspaceId,
    ccPairId: pair.id,
    requestId: link.requestId,
  });
  return true;
}

/**
 * Like `unlinkCredential`.
 * @throws Problem NOT_FOUND also when the two are not linked
 */
export async function deleteLink(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log'>,
  link: LinkToDelete,
): Promise<void> {
  if (await unlinkCredential(services, link)) return;
  throw new Problem(
    'NOT_FOUND',
    `Connector ${link.connectorId} is not linked to credential ${link.credentialId}. GET /manage/admin/cc-pair lists the pairs.`,
  );
}

/** Finds the credential regardless of who created it: its pair belongs to all admins. */
async function assertCredential(
  db: Database,
  { viewer, credentialId }: LinkToDelete,
): Promise<void> {
  if (credentialId === EMPTY_CREDENTIAL.id) return;
  const found = await readCredentials(db, viewer.workspaceId, [credentialId]);
  if (found.length === 0) throw unknownCredential(credentialId);
}
