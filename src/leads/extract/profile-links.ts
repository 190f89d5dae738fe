import { canonicalProfile } from './canonical-profile.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import type { PageSource } from './page-source.ts';
import { sourceOffsets } from './source-offset.ts';
import { visiblePageText, withoutMarks } from './visible-page-text.ts';

/** Per page; a longer list is a directory. */
const MAX_PROFILES = 300;
/** `linkedin.com/in/jane` in text, but not `netflix.com/in`. */
const WRITTEN =
  /(?<![\w.@/-])(?:https?:\/\/)?(?:[a-z]{2,6}\.)?(?:linkedin\.com\/(?:in|company|school)|twitter\.com|x\.com|facebook\.com|instagram\.com)\/[^\s"'<>()[\]{},;|\\^`]{1,150}/gi;

/** Reads social network profiles that a page links to or writes as text. */
export function readProfileLinks(source: PageSource): ContactCard[] {
  const cards = new Map<string, ContactCard>();
  const offsetOf = sourceOffsets(source.html);
  const links = source.page.links.map(({ href }) => href);
  for (const href of [...links, ...writtenLinks(source)]) {
    const url = canonicalProfile(href)?.url;
    if (url === undefined || cards.has(url)) continue;
    if (cards.size >= MAX_PROFILES) break;
    cards.set(
      url,
      contactCard({
        technique: 'profile-link',
        kind: 'page',
        profiles: [url],
        offset: offsetOf(href),
      }),
    );
  }
  return [...cards.values()];
}

function writtenLinks({ page }: PageSource): string[] {
  const text = withoutMarks(visiblePageText(page));
  return (text.match(WRITTEN) ?? []).map((link) => link.replace(/[.:!?…]+$/, ''));
}
