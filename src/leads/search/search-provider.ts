import type { UserId, WorkspaceId } from '#src/ids.ts';

/** What to search for, and for whom. */
export interface SiteSearch {
  workspaceId: WorkspaceId;
  /** The user whose private documents count when the index is searched. */
  userId: UserId;
  query: string;
  /** Maximum number of sites. */
  wanted: number;
  signal: AbortSignal;
}

/** A page found by a search engine. */
export interface FoundPage {
  /** Absolute, `http:` or `https:`. */
  url: string;
  title: string;
  snippet: string;
}

/** A web search engine, queried page by page. */
export interface SearchProvider {
  readonly name: string;
  /**
   * @param page from 1
   * @returns best first; empty when there is no more
   * @throws SearchProviderFailed, or the signal's reason when aborted
   */
  find(query: string, options: { page: number; signal: AbortSignal }): Promise<FoundPage[]>;
}

/** The search engine is unavailable, or its response is unusable. The message names the engine and the remedy. */
export class SearchProviderFailed extends Error {
  override readonly name = 'SearchProviderFailed';
  /** The same search may succeed later without any change. */
  readonly isTemporary: boolean;

  constructor(message: string, options: { isTemporary: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isTemporary = options.isTemporary;
  }
}

/**
 * @returns null when the page cannot be visited
 */
export function foundPage(url: string, title: string, snippet: string): FoundPage | null {
  const parsed = url.length <= MAX_URL_LENGTH ? URL.parse(url) : null;
  const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  const isPlain = parsed?.username === '' && parsed.password === '';
  return parsed && isWeb && isPlain ? { url: parsed.href, title, snippet } : null;
}

const MAX_URL_LENGTH = 2_000;
