import { toPageUrls } from './read-web-pages.ts';

/** Total limit: more than any answer opens. */
const MAX_URLS = 20_000;
/** A URL in a text, with or without its scheme. */
const URL_IN_TEXT =
  /(?:https?:\/\/[^\s<>"'`|\\^{}]{1,2000}|(?<![\w@.-])(?:[a-z\d-]{1,63}\.){1,10}[a-z]{2,24}(?::\d{1,5})?(?:[/?][^\s<>"'`|\\^{}]{0,2000})?)/gi;
/** May belong to the sentence around a URL, or to the URL. */
const CLOSING = /[.,;:!?)\]}*_'"”’]$/;

/**
 * The URLs that an answer may open: those that the user wrote, that a search returned, and that an opened page links
 * to. A document may suggest others that contain the user's words, and opening one would leak these. So a URL must
 * match as a whole, including its query: nothing can be appended to a known one.
 */
export class KnownUrls {
  readonly #keys = new Set<string>();

  /** @param texts the user's messages and the workspace's own instructions */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.addText(text);
  }

  add(urls: Iterable<string>): void {
    for (const url of urls) {
      const key = keyOf(url);
      if (key !== null && this.#keys.size < MAX_URLS) this.#keys.add(key);
    }
  }

  addText(text: string): void {
    for (const [found] of text.matchAll(URL_IN_TEXT)) this.add(variantsOf(found));
  }

  has(url: string): boolean {
    const key = keyOf(url);
    return key !== null && this.#keys.has(key);
  }
}

/** With and without trailing punctuation. */
function variantsOf(found: string): string[] {
  const variants = [found];
  for (let text = found; CLOSING.test(text) && variants.length < 10;) {
    text = text.slice(0, -1);
    variants.push(text);
  }
  return variants;
}

/** Pages are the same over http and https, and with or without a trailing slash. */
function keyOf(url: string): string | null {
  const parsed = URL.parse(toPageUrls([url])[0] ?? '');
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
  const { username, password, host, pathname, search } = parsed;
  const credentials = username || password ? `${username}:${password}@` : '';
  return `${credentials}${host}${pathname.replace(/\/$/, '')}${search}`;
}
