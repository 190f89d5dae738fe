/** The cookie of a session. */
export interface SessionCookie {
  readonly name: string;
  /** Of the names of the other cookies of signing in. */
  readonly prefix: string;
  /** Sent over https only. */
  readonly isSecure: boolean;
}

/** @param baseUrl where browsers reach the service */
export function sessionCookieOf(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  // Browsers accept a cookie with this prefix only from the host itself, not from one of its subdomains.
  const prefix = isSecure ? '__Host-millrace' : 'millrace';
  return { name: `${prefix}_session`, prefix, isSecure };
}

/** Whether a `Cookie` header has the cookie, valid or not. */
export function hasCookie(header: string | undefined, { name }: SessionCookie): boolean {
  return (header ?? '').split(';').some((pair) => pair.trim().startsWith(`${name}=`));
}
