import { z } from 'zod';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { type CredentialRecord, isUnreadable, openCredential } from './credentials.ts';
import { maskSecrets } from '#src/platform/mask-secrets.ts';

export const credentialSnapshotSchema = z
  .object({
    id: z.int(),
    name: z.string().nullable(),
    source: z.string(),
    credential_json: z
      .record(z.string(), z.unknown())
      .describe('Masked: of long texts the first and last four characters, of others nothing.'),
    unreadable_reason: z
      .string()
      .nullable()
      .describe(
        'Why the stored secret cannot be read, and what to do; credential_json is {} then.',
      ),
    admin_public: z.boolean(),
    curator_public: z.boolean(),
    groups: z.array(z.int()),
    user_id: z.string().nullable(),
    user_email: z.string().nullable(),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
  })
  .meta({ id: 'CredentialSnapshot' });

export type CredentialSnapshot = z.input<typeof credentialSnapshotSchema>;

export function presentCredential(
  secrets: ConnectorServices['secrets'],
  credential: CredentialRecord,
): CredentialSnapshot {
  return {
    id: credential.id,
    name: credential.name,
    source: credential.source,
    ...shownSecret(secrets, credential),
    admin_public: credential.admin_public,
    curator_public: credential.curator_public,
    groups: [],
    user_id: credential.created_by,
    user_email: credential.creator_email,
    time_created: credential.created_at.toISOString(),
    time_updated: credential.updated_at.toISOString(),
  };
}

/** An unreadable secret must not hide the other credentials. */
function shownSecret(
  secrets: ConnectorServices['secrets'],
  credential: CredentialRecord,
): Pick<CredentialSnapshot, 'credential_json' | 'unreadable_reason'> {
  try {
    const json = maskSecrets(openCredential(secrets, credential));
    return { credential_json: json, unreadable_reason: null };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { credential_json: {}, unreadable_reason: error.message };
  }
}

/** The response to creating a connector or a credential. */
export const creationReplySchema = z
  .object({ id: z.int(), credential: credentialSnapshotSchema.nullable() })
  .meta({ id: 'ObjectCreationIdResponse' });
