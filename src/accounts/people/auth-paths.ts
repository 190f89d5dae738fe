/** Where the endpoints of better-auth are; src/api/routes/sign-in.ts serves those that are offered. */
export const AUTH_PATH = '/auth';
/** The one provider of OpenID Connect. */
export const OIDC_PROVIDER = 'oidc';
/** NIST SP 800-63B asks for 8 at least, and for 64 at least to be possible. */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;
/** The header in which the address of the client is handed over; clients cannot set it. */
export const CLIENT_ADDRESS_HEADER = 'x-millrace-client-address';
