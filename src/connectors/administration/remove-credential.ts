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
  const pairs = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('credential_id', '=', credential.id)
    .orderBy('id')
    .execute();
  for (const pair of pairs) {
    await requestDeletion(services, {
      workspaceId: viewer.workspaceId,
      ccPairId: pair.id,
      requestId,
    });
  }
  try {
    await db
      .updateTable('cc_pair')
      .set({ credential_id: null })
      .where('credential_id', '=', credential.id)
      .where('status', '=', 'DELETING')
      .execute();
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
