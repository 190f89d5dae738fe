import type { OpenedPage } from '#src/files/open-page.ts';

/** A page as every technique sees it: parsed once. */
export interface PageSource {
  /** Absolute, after redirects. */
  url: string;
  html: string;
  page: OpenedPage;
  /** ISO 3166-1 alpha-2 code of the country whose phone numbers are written without their prefix; null when unknown. */
  region: string | null;
}
