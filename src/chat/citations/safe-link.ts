/** Schemes that run code or show foreign content in the page with the link. */
const UNSAFE_SCHEME = /^(?:javascript|vbscript|data|blob|filesystem|view-source)$/i;
/** Characters that browsers ignore before a URL and inside its scheme (URL Standard 4.4); some are invisible. */
const IGNORED_CHARACTERS = /[\p{Cc}\p{Cf}\s]/gu;
/** Character references, which Markdown and HTML decode. */
const ENTITY = /&(?:#|[a-z][a-z\d]*;)/i;

/** The link, or null when following it would not lead to a source. */
export function safeLink(link: string | null): string | null {
  if (link === null) return null;
  const [beforePath = ''] = link.replaceAll(IGNORED_CHARACTERS, '').split(/[/?]/, 1);
  const scheme = /^([^:]*):/.exec(beforePath)?.[1] ?? '';
  return UNSAFE_SCHEME.test(scheme) || ENTITY.test(beforePath) ? null : link;
}
