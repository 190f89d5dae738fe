/**
 * Whether a site is at an address that no mail goes to: an IP literal, `localhost` or another single label, with a port
 * or without. No address can be on its domain, so none is a stranger's because of its own.
 */
export function isLocalSite(siteDomain: string): boolean {
  const host = siteDomain.replace(/:\d{1,5}$/, '');
  return !host.includes('.') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || host.includes(':');
}
