import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { readAssumedRole, readError } from './s3-answers.ts';
import { signatureHeaders } from './s3-signature.ts';
import { encodeStrictly, type AccessKeys, type S3Store } from './s3-store.ts';
import { CredentialRejected, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

/** Queued requests must still be signed with valid keys. */
const RENEW_BEFORE_MS = 5 * 60_000;
const ROLE_SECONDS = 3_600;

export interface KeySource {
  keys(): Promise<AccessKeys>;
}

/**
 * The keys of the credential, or those of the role that they assume, renewed before they expire.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
export function openKeySource(
  store: S3Store,
  context: ConnectorContext,
  stsAddress: (region: string) => string,
): KeySource {
  const { roleArn } = store;
  if (roleArn === null) return { keys: async () => store.keys };
  let assumed: Promise<{ keys: AccessKeys; expiresAt: Date | null }> | null = null;
  return {
    async keys() {
      const current = await assumed;
      const isDue =
        current?.expiresAt &&
        current.expiresAt.getTime() - RENEW_BEFORE_MS <= context.clock().getTime();
      if (current === null || isDue) {
        assumed = assumeRole(store, roleArn, context, stsAddress(store.region));
        // A failed attempt is not cached.
        assumed.catch(() => (assumed = null));
      }
      return (await assumed)?.keys ?? store.keys;
    },
  };
}

async function assumeRole(
  store: S3Store,
  roleArn: string,
  context: ConnectorContext,
  address: string,
): Promise<{ keys: AccessKeys; expiresAt: Date | null }> {
  const query = {
    Action: 'AssumeRole',
    DurationSeconds: String(ROLE_SECONDS),
    RoleArn: roleArn,
    RoleSessionName: 'millrace',
    Version: '2011-06-15',
  };
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeStrictly(value)}`);
  const url = `${address}/?${text.join('&')}`;
  const headers = await signatureHeaders({
    url,
    service: 'sts',
    region: store.region,
    keys: store.keys,
    now: context.clock(),
  });
  const response = await context.http.send({ url, headers, expect: [400, 401, 403] });
  if (response.status >= 400) {
    throw new CredentialRejected(
      `The role ${roleArn} cannot be assumed. ${readError(response).words}`,
    );
  }
  const role = readAssumedRole(response.text());
  if (role) return role;
  throw new SourceUnavailable(`${new URL(address).host} sent a response that is not a role.`);
}
