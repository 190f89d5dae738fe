import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { checkSource } from './check-source.ts';
import type { ConnectorCheck } from './connector-request.ts';
import {
  type CredentialViewer,
  EMPTY_CREDENTIAL,
  openCredential,
  readCredential,
} from './credentials.ts';
import { assertCredentialFits } from './link-credential.ts';
import { kindOfSource } from './validate-config.ts';

/**
 * Asks a source before anything is stored.
 * @throws Problem BAD_REQUEST that names the field, or with the source's own message; NOT_FOUND
 */
export async function checkGiven(
  services: ConnectorServices,
  viewer: CredentialViewer,
  given: ConnectorCheck,
  signal: AbortSignal,
): Promise<void> {
  const connector = kindOfSource(given.source);
  await checkSource(services, {
    workspaceId: viewer.workspaceId,
    connector,
    settings: given.connector_specific_config,
    credential: given.credential_json ?? (await storedCredential()),
    ccPairId: null,
    signal,
  });

  async function storedCredential(): Promise<Record<string, unknown>> {
    const id = given.credential_id ?? EMPTY_CREDENTIAL.id;
    const credential = await readCredential(services.db, viewer, id);
    assertCredentialFits(connector, credential);
    return openCredential(services.secrets, credential);
  }
}
