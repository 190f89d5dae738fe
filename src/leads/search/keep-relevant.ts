import { topicWords } from '#src/documents/search/query-words.ts';
import { tokenize } from '#src/documents/tokenize.ts';

/** The hits of a search on one site. */
export interface FoundSite {
  /** Titles and passages of its pages. */
  text: string;
  /** Similarity of its nearest passage; null when only words matched. */
  cosine: number | null;
}

/** Passages this similar express the query in other words. */
const MIN_COSINE = 0.6;
/** Some models rate everything as similar, so sites are also compared with the nearest one. */
const COSINE_MARGIN = 0.05;

/**
 * Keeps the sites that are about the query. A site must contain more than half of the weight of the query's words. The
 * fewer sites contain a word, the more it weighs (`ln(1 + sites / having)`); one that no site contains weighs most. For
 * "family law", a family dentist has the lighter half. A site without the words must be similar by its vector.
 */
export function keepRelevant<Site extends FoundSite>(
  query: string,
  sites: readonly Site[],
): Site[] {
  const words = topicWords(query).map((word) => tokenize(word));
  const nearest = Math.max(...sites.map(({ cosine }) => cosine ?? -1));
  const floor = Math.max(MIN_COSINE, nearest - COSINE_MARGIN);
  const held = sites.map(({ text }) => {
    const terms = new Set(tokenize(text));
    return words.map((forms) => forms.some((form) => terms.has(form)));
  });
  const weights = words.map((_, word) => {
    const having = held.filter((of) => of[word]).length;
    return Math.log(1 + sites.length / (having || 0.5));
  });
  const total = sum(weights);
  return sites.filter(({ cosine }, site) => {
    const own = sum(weights.filter((_, word) => held[site]?.[word]));
    return total === 0 || own > total / 2 || (cosine !== null && cosine >= floor);
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
