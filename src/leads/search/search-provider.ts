import type { UserId, WorkspaceId } from '#src/ids.ts';

/** What is searched for, and for whom. */
export interface SiteSearch {
  workspaceId: WorkspaceId;
  /** Whose private documents count, when the index is searched. */
  userId: UserId;
  query: string;
  /** Sites, at most. */
  wanted: number;
  signal: AbortSignal;
}

/** A page that a search engine has found. */
export interface FoundPage {
  /** Absolute, `http:` or `https:`. */
  url: string;
  title: string;
  snippet: string;
}

/** A search engine for the web, asked page by page. */
export interface SearchProvider {
  readonly name: string;
  /**
   * @param page from 1
   * @returns best first; empty when there is no more
   * @throws SearchProviderFailed, or the signal's reason when aborted
   */
  find(query: string, options: { page: number; signal: AbortSignal }): Promise<FoundPage[]>;
}

/** The search engine cannot be asked, or what it answers cannot be used. The message names it and what to do. */
export class SearchProviderFailed extends Error {
  override readonly name = 'SearchProviderFailed';
  /** The same search may succeed later, with nothing changed. */
  readonly isTemporary: boolean;

  constructor(message: string, options: { isTemporary: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isTemporary = options.isTemporary;
  }
}

/** @returns null for what nobody could visit */
export function foundPage(url: string, title: string, snippet: string): FoundPage | null {
  const parsed = url.length <= MAX_URL_LENGTH ? URL.parse(url) : null;
  const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  const isPlain = parsed?.username === '' && parsed.password === '';
  return parsed && isWeb && isPlain ? { url: parsed.href, title, snippet } : null;
}

const MAX_URL_LENGTH = 2_000;
