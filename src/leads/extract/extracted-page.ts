import type { TaskOptions } from '#src/platform/guarded-processes.ts';
import type { ContactCard } from './contact-card.ts';
import type { Trunk } from './extensions.ts';

/** A link or frame. */
export interface PageLink {
  /** Absolute, `http:` or `https:`. */
  url: string;
  text: string;
  /** What the markup says about the target. */
  role?: 'frame' | 'vcard';
}

/** A name on a page. */
export interface PersonMention {
  name: string;
  /** The role beside it. */
  title: string | null;
  /** The log odds that it is a person of the organisation, as far as this page tells. */
  weight: number;
  /** `page: team` and the like: what the page is about. */
  subject: string;
}

/** Everything extracted from one page; the page itself is not kept. Plain data, because it comes from another process. */
export interface ExtractedPage {
  /** Absolute, after redirects. */
  url: string;
  /** The page's `link rel=canonical`, absolute and on the same registrable domain; else `url`. */
  canonicalUrl: string;
  title: string;
  /** The site's name, from `og:site_name` and the like; empty when not stated. */
  siteName: string;
  /** The page's owner by its copyright line or a name with a legal form; used when there is no better name. */
  signedBy?: string;
  /** Lower-case primary subtag such as `de`; empty when not stated. */
  language: string;
  /** ISO 3166-1 alpha-2 code of the country whose numbers it writes without a country code; null when unknown. */
  region?: string | null;
  /** The number of a house that its extensions are added to. */
  trunk?: Trunk | null;
  cards: ContactCard[];
  /** Names on the page, and what speaks for persons of the organisation; missing where none are sought. */
  mentions?: PersonMention[];
  links: PageLink[];
  /** It has scripts and hardly any text: its content needs JavaScript. */
  needsRendering: boolean;
}

export interface PageToExtract {
  url: string;
  html: string;
  /** A vCard file, or HTML for everything else. */
  kind: 'html' | 'vcard';
  /** A page about one of the organisations that the site lists. */
  isOfMember?: boolean;
  /** The `region` of an earlier page of the site, for pages that do not show theirs. */
  region?: string | null;
  /** The same of `trunk`. */
  trunk?: Trunk | null;
}

/** Extracts pages in separate processes: a page that takes too long fails alone. */
export interface ExtractorPool extends AsyncDisposable {
  /**
   * @throws GiveUp with the reason when the page exceeds the limits; the signal's reason when aborted
   */
  extract(page: PageToExtract & TaskOptions): Promise<ExtractedPage>;
}
