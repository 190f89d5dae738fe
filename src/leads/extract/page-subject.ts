import { isNameOfOthers, isNewsName, kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import type { PageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';

/** Whether a page shows people, or tells about the organisation in another way. */
export type PageSubject = 'team' | 'organization' | 'other';

const MAX_HEADINGS = 40;
const EXTENSION = /\.\w{2,5}$/;
const TITLE_PARTS = /\s[|–—-]\s/u;
const OF_ORGANIZATION = ['about', 'contact', 'imprint'];

/** Minutes of meetings, which name applicants, visitors and those who resigned. */
const MINUTES =
  /^(?:minutes|mødereferat|referat|sitzungsprotokoll|protokoll|notulen|compte[- ]rendu|procès[- ]verbal|actas?|atas?|verbal[ei]|zápis|zápisnica|protokół|pöytäkirja|jegyzőkönyv|proces[- ]verbal|tutanak|протокол|πρακτικά)(?!\p{L})/iu;

/** Whether the address or the title of a page says that the people on it are guests, alumni and the like. */
export function isAboutGuests({ url, page }: PageSource): boolean {
  const last = (URL.parse(url)?.pathname ?? '').split('/').findLast((part) => part !== '') ?? '';
  const [title = ''] = page.title.split(TITLE_PARTS, 1);
  return [last.replace(EXTENSION, ''), title].some(
    (name) => isNameOfOthers(name) || MINUTES.test(name.trim()),
  );
}

/** What a page is about, by its address, title and headings; null for news. */
export function subjectOf({ url, page }: PageSource, { lines }: PageLines): PageSubject | null {
  const path = URL.parse(url)?.pathname ?? '';
  const parts = path.split('/').map((part) => part.replace(EXTENSION, ''));
  if (parts.some((part) => isNewsName(part))) return null;
  const headings = lines.filter(({ elements: [element] }) => /^h[12]$/.test(element?.name ?? ''));
  const titles = page.title.split(TITLE_PARTS);
  const named = [...parts, ...titles, ...headings.slice(0, MAX_HEADINGS).map(({ text }) => text)];
  const kinds = new Set<string | undefined>(named.map((name) => kindOfName(name)?.kind));
  if (kinds.has('team')) return 'team';
  return OF_ORGANIZATION.some((kind) => kinds.has(kind)) ? 'organization' : 'other';
}
