import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { PageSource } from './page-source.ts';

const LONGEST_NAME = 80;
const SITE_NAME_METAS = ['og:site_name', 'application-name', 'apple-mobile-web-app-title'];
/** Separates the parts of a page's title. */
export const TITLE_SEPARATOR = /\s+[-–—|·•»«:›/]+\s+|\s*[|•»›]\s*|:\s+|\s+::\s+/;
/** Defaults of site builders. */
const NO_NAMES =
  /^(?:home(?:page)?|start(?:seite)?|accueil|inicio|welcome|untitled|my (?:site|website|blog)|mysite|website|wordpress|wix|squarespace|index|site|blog|https?:.*)$/i;

/** The site's name: as it states itself, or the part of the title that matches its domain; else empty. */
export function siteNameOf({ url, page }: Pick<PageSource, 'url' | 'page'>): string {
  for (const key of SITE_NAME_METAS) {
    const name = page.metas.get(key) ?? '';
    if (name !== '' && name.length <= LONGEST_NAME && !NO_NAMES.test(name)) return name;
  }
  const domain = registrableDomain(url)?.split('.')[0] ?? '';
  const parts = page.title.slice(0, 400).split(TITLE_SEPARATOR);
  const named = parts.find((part) => part.length <= LONGEST_NAME && isNamedBy(domain, part)) ?? '';
  // "Acme, Plumbers, Springfield"
  const [head = ''] = named.split(', ', 1);
  return isNamedBy(domain, head) ? head : named;
}

/** Whether the first label of a domain is made of a name: `acme-gmbh`, `acmegmbh` or `acme` for "Acme GmbH". */
function isNamedBy(domain: string, name: string): boolean {
  const words = plain(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'und' && word !== 'and');
  const label = plain(domain).replace(/[^\p{L}\p{N}]/gu, '');
  if (label.length < 2 || words.length === 0 || words.length > 8) return false;
  let joined = '';
  for (const word of words) {
    joined += word;
    if (joined === label && joined.length >= 2) return true;
  }
  return words.map((word) => word[0]).join('') === label && label.length >= 3;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '');
}
