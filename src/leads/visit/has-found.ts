import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import type { Enrichment } from '#src/tables/leads.ts';

const OTHER_NETWORKS = /^https:\/\/(?:www\.)?(?:facebook|instagram)\.com\//;

const IS_FOUND: Readonly<Record<Enrichment, (card: ContactCard) => boolean>> = {
  email: ({ emails }) => emails.length > 0,
  phone: ({ phones }) => phones.length > 0,
  socials: ({ profiles }) => profiles.length > 0,
  company_info: ({ description, address }) => description !== null || address !== null,
  other_socials: ({ profiles }) => profiles.some((url) => OTHER_NETWORKS.test(url)),
};

/** Whether the pages have every wanted kind of fact, apart from those of persons. */
export function hasFound(pages: readonly ExtractedPage[], wants: readonly Enrichment[]): boolean {
  const cards = pages.flatMap((page) => page.cards).filter(({ kind }) => kind !== 'person');
  return wants.every((want) => cards.some(IS_FOUND[want]));
}
