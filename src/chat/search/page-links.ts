const MAX_LINKS = 2_000;
const ANCHOR =
  /<a\s[^<>]{0,2000}?\bhref\s{0,5}=\s{0,5}(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))/gi;

/** The targets of a page's links, as absolute URLs. */
export function pageLinks(html: string, place: URL): string[] {
  const links = new Set<string>();
  for (const [, double, single, bare] of html.matchAll(ANCHOR)) {
    const written = (double ?? single ?? bare ?? '').trim().replaceAll('&amp;', '&');
    const url = URL.parse(written, place);
    if (url !== null && /^https?:$/.test(url.protocol)) links.add(url.href);
    if (links.size >= MAX_LINKS) break;
  }
  return [...links];
}
