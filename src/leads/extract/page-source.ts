import type { OpenedPage } from '#src/files/open-page.ts';

/** A page as all techniques get it: parsed once. */
export interface PageSource {
  /** Absolute, after redirects. */
  url: string;
  html: string;
  page: OpenedPage;
  /**
   * ISO 3166-1 alpha-2 code of the country whose phone numbers the page writes without a country code; null when
   * unknown.
   */
  region: string | null;
}
