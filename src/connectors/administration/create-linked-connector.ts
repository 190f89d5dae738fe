import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { ConnectorRequest } from './connector-request.ts';
import { createConnector, deleteConnector } from './connectors.ts';
import { type CredentialViewer, readCredential } from './credentials.ts';
import { assertCredentialFits, linkCredential } from './link-credential.ts';
import type { StatusResponse } from './status-response.ts';
import { kindOfSource } from './validate-config.ts';

/**
 * Creates a connector and links it to a credential. Leaves nothing behind when the source does not answer.
 * @throws Problem BAD_REQUEST that names the field, or with the source's own message; NOT_FOUND
 */
export async function createLinkedConnector(
  services: ConnectorServices,
  viewer: CredentialViewer,
  wanted: { connector: ConnectorRequest; credentialId: number },
  { requestId, signal }: { requestId: string | null; signal: AbortSignal },
): Promise<StatusResponse> {
  const { db } = services;
  const { connector, credentialId } = wanted;
  const credential = await readCredential(db, viewer, credentialId);
  assertCredentialFits(kindOfSource(connector.source), credential);
  const connectorId = await createConnector(db, viewer.workspaceId, connector);
  try {
    return await linkCredential(services, {
      viewer,
      connectorId,
      credentialId,
      request: { name: null, accessType: null },
      requestId,
      signal,
    });
  } catch (error) {
    // The reason for the failed link matters more than a connector left behind without a link.
    await deleteConnector(db, viewer.workspaceId, connectorId).catch(() => undefined);
    throw error;
  }
}
