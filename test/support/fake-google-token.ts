import { type KeyObject, verify } from 'node:crypto';
import type { FakeAnswer } from './fake-source.ts';

const ADMIN = 'admin@example.com';

/** Who may get tokens, and who got them. */
export interface TokenGrants {
  /** Public key of the service account. */
  publicKey: KeyObject;
  isGranting: boolean;
  /** Access token → the user it acts as. */
  tokens: Map<string, string>;
  /** Users who left the domain. */
  departed: Set<string>;
}

/**
 * Google's token endpoint.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest,
 * https://developers.google.com/identity/protocols/oauth2/web-server#offline
 */
export function grantToken(state: TokenGrants, form: URLSearchParams): FakeAnswer {
  const refusal = {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
  };
  if (!state.isGranting) return refusal;
  let user = ADMIN;
  if (form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${head}.${claims}`),
      state.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned)
      return {
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
      };
    user = String(
      JSON.parse(Buffer.from(claims, 'base64url').toString()).sub ??
        'indexer@project.iam.gserviceaccount.com',
    );
    if (state.departed.has(user)) {
      const error_description = 'Invalid email or User ID';
      return { status: 400, body: { error: 'invalid_grant', error_description } };
    }
  } else if (
    form.get('refresh_token') !== 'refresh' ||
    form.get('client_secret') !== 'client-secret'
  ) {
    return refusal;
  }
  const token = `ya29.${state.tokens.size}-${user}-${Math.random()}`;
  state.tokens.set(token, user);
  return { body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
}
