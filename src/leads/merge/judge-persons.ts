import {
  contactCard,
  type ContactCard,
  isStructuredTechnique,
} from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage, PersonMention } from '#src/leads/extract/extracted-page.ts';
import { nameMatchesAddress } from '#src/leads/extract/name-matches-address.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { siteSigns, weightOf } from '#src/leads/extract/person-model.ts';

/** Log odds from which a name is a person of the organisation, and below which a rule is not believed. */
const SURE = Math.log(0.7 / 0.3);
const DOUBTFUL = Math.log(0.2 / 0.8);

/** A name's best mention on a site. */
interface Judged {
  mention: PersonMention;
  page: ExtractedPage;
  /** Log odds that it is a person of the organisation. */
  odds: number;
}

/**
 * The pages of a site with a card for each name that its surroundings show to be a person of the organisation and that
 * no rule has found, and without the cards of rules for names whose surroundings speak against it.
 */
export function judgePersons(pages: readonly ExtractedPage[]): ExtractedPage[] {
  const judged = judge(pages);
  const known = new Set(pages.flatMap(({ cards }) => cards.filter(isPerson).map(keyOfCard)));
  const added = [...judged].filter(([key, { odds }]) => odds >= SURE && !known.has(key));
  const byPage = Map.groupBy(added, ([, { page }]) => page);
  return pages.map((page) => ({
    ...page,
    cards: [
      ...page.cards.filter((card) => !isDoubtful(card, judged.get(keyOfCard(card)))),
      ...(byPage.get(page) ?? []).map(([, { mention }]) =>
        contactCard({
          technique: 'team-name',
          kind: 'person',
          name: mention.name,
          title: mention.title,
        }),
      ),
    ],
  }));
}

function judge(pages: readonly ExtractedPage[]): Map<string, Judged> {
  const placed = pages.flatMap((page) =>
    (page.mentions ?? []).map((mention) => ({ mention, page })),
  );
  const withNames = new Set(placed.map(({ page }) => page)).size;
  const judged = new Map<string, Judged>();
  for (const [key, ofName] of Map.groupBy(placed, ({ mention }) => keyOf(mention.name))) {
    const onPages = new Set(ofName.map(({ page }) => page)).size;
    const subjects = new Set(ofName.map(({ mention }) => mention.subject));
    const ofSite = weightOf(siteSigns({ onPages, withNames, subjects }));
    for (const { mention, page } of ofName) {
      const odds = mention.weight + ofSite;
      if (odds > (judged.get(key)?.odds ?? -Infinity)) judged.set(key, { mention, page, odds });
    }
  }
  return judged;
}

function isDoubtful(
  { kind, technique, name, entity, emails }: ContactCard,
  judged: Judged | undefined,
): boolean {
  if (kind !== 'person' || name === null || entity === 'member' || isStructuredTechnique(technique))
    return false;
  if (judged === undefined || judged.odds >= DOUBTFUL) return false;
  return !emails.some((email) => nameMatchesAddress(name, email));
}

function isPerson({ kind, name }: ContactCard): boolean {
  return kind === 'person' && name !== null;
}

function keyOfCard({ name }: ContactCard): string {
  return keyOf(name ?? '');
}

/** Equal for "Jane Doe" and "Doe Jane". */
function keyOf(name: string): string {
  return personNameKey(name).split(' ').toSorted().join(' ');
}
