import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Whom the provider vouches for. */
export interface OidcIdentity {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
}

/** An OpenID Connect provider that lets everybody in as `identity`. */
export interface FakeOidc extends AsyncDisposable {
  readonly issuer: string;
  identity: OidcIdentity;
  /** From the authorization request; part of the next identity token. */
  nonce: string;
}

export const CLIENT_ID = 'millrace-tests';

export async function startFakeOidc(): Promise<FakeOidc> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const provider = {
    issuer: '',
    identity: { sub: '', email: '', email_verified: false, name: '' },
    nonce: '',
  };
  const answer = async (path: string): Promise<unknown> => {
    const { issuer, identity, nonce } = provider;
    if (path === '/jwks') return { keys: [jwk] };
    if (path !== '/token') {
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      };
    }
    const idToken = await new SignJWT({ ...identity, nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(CLIENT_ID)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    return {
      access_token: 'secret-of-the-provider',
      token_type: 'Bearer',
      expires_in: 300,
      id_token: idToken,
    };
  };
  const server = createServer((request, response) => {
    void answer(request.url ?? '').then((body) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  provider.issuer = `http://127.0.0.1:${port}`;
  return Object.assign(provider, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
