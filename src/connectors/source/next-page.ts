/** Query parameters with which the two vendors continue a list. */
const CONTINUATION = ['page', 'after', 'cursor', 'page_token', 'id_after'];

/**
 * The query parameters of the next page of a list, from the `Link` header (RFC 8288) or GitLab's `x-next-page`; null
 * on the last page. Only these parameters are taken from the link: a server behind a proxy may give a wrong host
 * there, and the credential may go only to the configured address.
 */
export function nextPage(headers: Headers): Record<string, string> | null {
  const link = nextLink(headers.get('link'));
  if (link) {
    const entries = [...link].filter(([name]) => CONTINUATION.includes(name));
    if (entries.length > 0) return Object.fromEntries(entries);
  }
  const page = headers.get('x-next-page')?.trim();
  return page ? { page } : null;
}

function nextLink(header: string | null): URLSearchParams | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=(?:\s*")?[^";]*\bnext\b/i.test(parameters)) {
      return new URLSearchParams(target.slice(target.indexOf('?') + 1));
    }
  }
  return null;
}
