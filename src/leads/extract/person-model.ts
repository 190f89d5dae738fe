import type { PersonMention } from './extracted-page.ts';
import type { Mention } from './person-mentions.ts';
import { BIAS, PERSON_WEIGHTS } from './person-weights.ts';

/** A name on a larger share of the pages is in their common part: a street, a founder, the maker of the site. */
const MOST = 0.8;

/**
 * A logistic regression over the signs of a name, trained on the labelled sites by `npm run bench -- person-model`: the
 * log odds that the name is that of a person of the organisation are the sum of the weights of its signs, those of its
 * best mention and those of the site.
 */
export function weighMention({ name, title, signs }: Mention): PersonMention {
  const subject = [...signs].find((sign) => sign.startsWith('page: ')) ?? '';
  return { name, title, weight: BIAS + weightOf(signs), subject };
}

/** What the pages of a site say of a name together. */
export function siteSigns({
  onPages,
  withNames,
  subjects,
}: {
  /** How many pages have the name, and how many have any. */
  onPages: number;
  withNames: number;
  /** Of the pages with the name. */
  subjects: Iterable<string>;
}): string[] {
  return [
    ...(onPages >= 2 ? ['site: two pages'] : []),
    ...(onPages >= 3 ? ['site: three pages'] : []),
    ...(onPages >= 4 ? ['site: four pages'] : []),
    ...(onPages >= 4 && onPages > MOST * withNames ? ['site: most pages'] : []),
    ...[...subjects].map((subject) => `site: ${subject}`),
  ];
}

/** The sum of the weights of signs; those that tell nothing have none. */
export function weightOf(signs: Iterable<string>): number {
  let sum = 0;
  for (const sign of signs) sum += PERSON_WEIGHTS.get(sign) ?? 0;
  return sum;
}
