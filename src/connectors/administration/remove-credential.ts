import { sql } from 'kysely';
import type { CcPairId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import {
  assertOwn,
  type CredentialViewer,
  deleteCredential,
  readCredential,
} from './credentials.ts';
import { requestDeletion } from './request-deletion.ts';
import { isDuplicate } from './violated-rule.ts';

/**
 * Deletes a credential even if it is in use: its pairs lose it, and a job deletes them with their documents.
 * @returns how many pairs are being deleted
 * @throws Problem NOT_FOUND, BAD_REQUEST for credential 0
 */
export async function removeCredential(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log'>,
  viewer: CredentialViewer,
  id: number,
  requestId: string | null,
): Promise<number> {
  assertOwn(id);
  const { db } = services;
  const credential = await readCredential(db, viewer, id);
  const { rows: pairs } = await sql<{ id: CcPairId }>`
    select id from cc_pair where credential_id = ${credential.id} order by id`.execute(db);
  for (const pair of pairs) {
    await requestDeletion(services, {
      workspaceId: viewer.workspaceId,
      ccPairId: pair.id,
      requestId,
    });
  }
  try {
    await sql`update cc_pair set credential_id = null
      where credential_id = ${credential.id} and status = 'DELETING'`.execute(db);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Problem(
      'CONFLICT',
      `The pairs of credential ${id} are being deleted. Ask again in a moment: one of their connectors is also linked to credential 0.`,
      { cause: error },
    );
  }
  await deleteCredential(db, viewer, id);
  return pairs.length;
}
