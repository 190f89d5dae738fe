import type { OpenedPage } from '#src/files/open-page.ts';
import type { Trunk } from './extensions.ts';

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
  /** The number of the house, to which the page's extensions are added; null when it has none. */
  trunk?: Trunk | null;
  /** The domain that the page states once for all its addresses; null when it states none. */
  mailDomain?: string | null;
}
