/** Where the endpoints of better-auth are; src/api/routes/sign-in.ts serves those that are offered. */
export const AUTH_PATH = '/auth';
/** Name of the OpenID Connect provider; there is one at most. */
export const OIDC_PROVIDER = 'oidc';
/** NIST SP 800-63B: at least 8 characters, and at least 64 must be allowed. */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;
/** Header that passes the client’s address on to better-auth; clients cannot set it. */
export const CLIENT_ADDRESS_HEADER = 'x-millrace-client-address';
