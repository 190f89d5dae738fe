import type { ContactCard } from './contact-card.ts';

/** All that is taken from one page; the page itself is not kept. Plain data: it comes out of a thread. */
export interface ExtractedPage {
  /** Absolute, after redirects. */
  url: string;
  /** The page's `link rel=canonical`, absolute and on the same registrable domain; else `url`. */
  canonicalUrl: string;
  title: string;
  /** The name that the site goes by, from `og:site_name` and the like; empty when it does not say. */
  siteName: string;
  /** Whose the page is by its copyright line or a name with a legal form; for want of a better name. */
  signedBy?: string;
  /** Lower-case primary subtag such as `de`; empty when it does not say. */
  language: string;
  cards: ContactCard[];
  /** Absolute `http:` and `https:` links, with the words they are shown by. */
  links: { url: string; text: string }[];
  /** It has scripts and hardly any text: what it shows comes with JavaScript. */
  needsRendering: boolean;
}

export interface PageToExtract {
  url: string;
  html: string;
  /** A vCard file is read as one, everything else as HTML. */
  kind: 'html' | 'vcard';
}

/** Extracts pages in threads of their own: one that takes too long fails alone. */
export interface ExtractorPool extends AsyncDisposable {
  /** @throws GiveUp with the reason when the page is not read within the limits; the signal's reason when aborted */
  extract(page: PageToExtract & { signal: AbortSignal }): Promise<ExtractedPage>;
}
