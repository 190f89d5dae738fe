import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { ConnectorRequest } from './connector-request.ts';
import { createConnector, deleteConnector } from './connectors.ts';
import { type CredentialViewer, EMPTY_CREDENTIAL } from './credentials.ts';
import { assertCredentialFits, linkCredential } from './link-credential.ts';
import type { StatusResponse } from './status-response.ts';
import { kindOfSource } from './validate-config.ts';

/**
 * Creates a connector of a kind that needs no secret, and links it to credential 0. Leaves nothing behind when the
 * source does not answer.
 * @throws Problem BAD_REQUEST that names the field, or with the source's own message
 */
export async function createLinkedConnector(
  services: ConnectorServices,
  viewer: CredentialViewer,
  request: ConnectorRequest,
  { requestId, signal }: { requestId: string | null; signal: AbortSignal },
): Promise<StatusResponse> {
  assertCredentialFits(kindOfSource(request.source), EMPTY_CREDENTIAL);
  const { db } = services;
  const connectorId = await createConnector(db, viewer.workspaceId, request);
  try {
    return await linkCredential(services, {
      viewer,
      connectorId,
      credentialId: EMPTY_CREDENTIAL.id,
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
