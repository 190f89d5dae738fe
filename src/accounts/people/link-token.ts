import { createHash, randomBytes } from 'node:crypto';

/** The secret of a link that may be used once: 256 random bits, of which only the hash is stored. */
export function makeLinkToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashLinkToken(token) };
}

/** SHA-256; random bits need no slow hash. */
export function hashLinkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The token is in the fragment, which browsers never send: it reaches neither a log nor the next page. */
export function linkTo(baseUrl: string, page: LinkedPage, token: string): string {
  return `${baseUrl}/console/${page}#token=${token}`;
}

export type LinkedPage = 'welcome' | 'invitation' | 'reset-password';
