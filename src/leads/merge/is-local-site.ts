/**
 * Whether a site's host cannot receive mail: an IP literal, `localhost` or another single label, with or without a
 * port. No address can be on its domain, so an address on another domain is not a stranger's for that reason.
 */
export function isLocalSite(siteDomain: string): boolean {
  const host = siteDomain.replace(/:\d{1,5}$/, '');
  return !host.includes('.') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || host.includes(':');
}
