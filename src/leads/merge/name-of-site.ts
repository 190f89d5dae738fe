import { NO_NAME_WORDS } from '#src/leads/extract/name-words.ts';
import { organizationKey, resemblesDomain } from '#src/leads/extract/organization-key.ts';
import { plainLetters } from '#src/leads/extract/role-lexicon.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import type { Evidenced } from './lead-draft.ts';

const SEPARATOR = /\s+[|–—·•:»«>-]\s+|\s*[|｜»·]\s*|:\s+/u;
const LONGEST_NAME = 60;
const MIN_REPEATED = 3;

/** The site's name when no structured data states it; the domain itself as a last resort. */
export function nameOfSite(pages: readonly ExtractedPage[], domain: string): Evidenced {
  return (
    commonest(
      pages.map(({ url, siteName }) => ({
        value: siteName,
        evidence: [{ url, technique: 'meta' as const }],
      })),
    ) ??
    nameInTitles(pages, domain) ?? {
      value: domain,
      evidence: [{ url: pages[0]?.url ?? `https://${domain}/`, technique: 'page-title' }],
    }
  );
}

/**
 * A part of the titles: the one that resembles the domain, else one that several titles share, else the last part of
 * the first title.
 */
function nameInTitles(pages: readonly ExtractedPage[], domain: string): Evidenced | null {
  const parts = pages.flatMap(({ url, title }) =>
    title
      .slice(0, 300)
      .split(SEPARATOR)
      .map((part) => part.replace(/^[\s:|»«•–—-]+|[\s:|»«•–—-]+$/gu, ''))
      .filter(isNameLike)
      .map((value) => ({ value, evidence: [{ url, technique: 'page-title' as const }] })),
  );
  const resembling = commonest(parts.filter(({ value }) => resemblesDomain(value, domain)));
  const repeated = commonest(parts);
  if (resembling && !isOnlyPlace(resembling, repeated, domain)) return resembling;
  if (repeated && repeated.evidence.length > 1) return repeated;
  const inTitle = parts.findLast(({ evidence: [one] }) => one?.url === pages[0]?.url) ?? null;
  const signed = commonest(
    pages.map(({ url, signedBy = '', cards }) => ({
      value: isMember(signedBy, cards) ? '' : signedBy,
      evidence: [{ url, technique: 'visible-text' as const }],
    })),
  );
  if (!signed) return inTitle;
  const key = organizationKey(signed.value);
  const isInTitle = ({ value }: Evidenced): boolean => {
    const other = organizationKey(value);
    return other.length >= 3 && (key.includes(other) || other.includes(key));
  };
  return parts.find(isInTitle) ?? signed;
}

/** Whether a part of the domain, such as its town, is in one title, and another name in most. */
function isOnlyPlace(part: Evidenced, repeated: Evidenced | null, domain: string): boolean {
  const isWhole =
    organizationKey(part.value).length >= organizationKey(domain.split('.')[0] ?? '').length;
  const times = repeated?.evidence.length ?? 0;
  return !isWhole && part.evidence.length === 1 && times >= MIN_REPEATED;
}

/** Whether a page lists the organisation of this name. */
function isMember(name: string, cards: ExtractedPage['cards']): boolean {
  return cards.some(
    (card) =>
      card.entity === 'member' &&
      card.name !== null &&
      organizationKey(card.name) === organizationKey(name),
  );
}

function isNameLike(part: string): boolean {
  if (part.length < 2 || part.length > LONGEST_NAME) return false;
  const words = plainLetters(part).split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => /\p{L}/u.test(word) && !NO_NAME_WORDS.has(word));
}

function commonest(values: readonly Evidenced[]): Evidenced | null {
  const groups = Map.groupBy(
    values.filter(({ value }) => value !== ''),
    ({ value }) => organizationKey(value),
  );
  const [best] = [...groups.values()].toSorted((a, b) => b.length - a.length);
  const [first] = best ?? [];
  return best && first
    ? { value: first.value, evidence: best.flatMap((one) => one.evidence) }
    : null;
}
