import type { HtmlElement } from '#src/files/html-tree.ts';
import { kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import { headingOfOffice, isBareName } from './bare-names.ts';
import { cardExtents, type PlacedName } from './card-extent.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { findNames, type FoundName } from './find-names.ts';
import { isContactLine } from './introduced-names.ts';
import { organizationNameTest } from './is-organization-name.ts';
import { labelledNames } from './labelled-names.ts';
import { type PageLines, readPageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { areMostlyNames, nameEvidence } from './name-evidence.ts';
import { namesInText } from './names-in-text.ts';
import { personNameKey } from './person-name.ts';
import { isAboutGuests, subjectOf } from './page-subject.ts';
import { type PersonCard, readPersonCard } from './person-card.ts';
import { isRoleLine } from './role-words.ts';
import { sentencePersons } from './sentence-persons.ts';
import { isBelowQuotation, statedPersons } from './stated-persons.ts';
import { isAuditorOfFirm, isOfPartners, OUTSIDERS } from './words-of-others.ts';

const MAX_CARDS = 1_000;
const MAX_HEADINGS = 40;
const OF_TEAM: ReadonlySet<string> = new Set(['team']);
const OF_ORGANIZATION: ReadonlySet<string> = new Set(['team', 'about', 'contact', 'imprint']);

/**
 * People on team pages: names in a repeated structure, each with a role, links or contacts beside it, in any
 * markup (cards, lists, tables, definition lists, headings with paragraphs). A lone name counts when its role is next
 * to it, or an address or profile matches the name. Contacts shared by several cards are assigned to no one.
 */
export function readTeamCards(source: PageSource): ContactCard[] {
  if (isAboutGuests(source)) return [];
  const page = readPageLines(source.page.root);
  const subject = subjectOf(source, page);
  // The author of a quotation stands below it; a member of the team may have one above the name.
  const names = findNames(page).filter(
    ({ line }) => subject === 'team' || !isBelowQuotation(line, page),
  );
  const groups = [...Map.groupBy(names, ({ place }) => place).values()].toSorted(
    (a, b) => strengthOf(b) - strengthOf(a) || b.length - a.length,
  );
  const placed: PlacedNames = {
    source,
    page,
    others: [...names, ...labelledNames(page)],
    isOfOrganization: subject === 'team' || subject === 'organization',
    isNamedForIt: isNamedFor(OF_ORGANIZATION, source),
    isNamedForTeam: isNamedFor(OF_TEAM, source),
    isOfTeam: isTeamPage(source, page),
  };
  const accepted: PersonCard[] = [];
  const taken: boolean[] = [];
  for (const group of groups) {
    const free = group.filter(({ line }) => taken[line] !== true);
    if (free.length === 0 || accepted.length >= MAX_CARDS) continue;
    for (const { card, from, to } of readGroup(free, placed)) {
      accepted.push(card);
      for (let line = from; line < to; line += 1) taken[line] = true;
    }
  }
  const isOrganization = organizationNameTest(source);
  const persons = accepted.filter(
    ({ found, title, isTitleNear }) =>
      ((title !== null && isTitleNear) || !isOrganization(found.name)) &&
      !(found.isLabelled && OUTSIDERS.test(title ?? '')) &&
      !isPlaceOf(title ?? '', found.name) &&
      !isAuditorOfFirm(title ?? '', textBehind(found, page)) &&
      !isOfPartners(textBehind(found, page), source.url),
  );
  const read = withoutShared(persons)
    .toSorted((a, b) => a.found.line - b.found.line)
    .slice(0, MAX_CARDS);
  const cards = read.filter(hasAnything).map(cardOf);
  const inSentences = sentencePersons(
    page,
    source.region,
    new Set(cards.flatMap(({ emails }) => emails)),
  );
  const known = new Set([...cards, ...inSentences].map(keyOf));
  // "Acme Tools" below "Our team" at acme-tools.com
  const isHost = ({ name, title }: ContactCard): boolean =>
    !isRoleLine(title ?? '') && isOrganization(name ?? '');
  const stated = statedPersons(page, source).filter(
    (card) => !known.has(keyOf(card)) && !isHost(card),
  );
  return withBareNames([...cards, ...inSentences, ...stated], read);
}

/** Of somebody whom nothing else on the page tells of, the name alone. */
function withBareNames(cards: readonly ContactCard[], read: readonly PersonCard[]): ContactCard[] {
  const known = new Set(cards.map(keyOf));
  const bare = read
    .filter((card) => !hasAnything(card) && !known.has(card.found.key))
    .map(({ found: { name } }) => contactCard({ technique: 'team-name', kind: 'person', name }));
  return [...cards, ...bare];
}

function cardOf({ found, title, company, emails, phones, profiles }: PersonCard): ContactCard {
  return contactCard({
    technique: 'team-card',
    kind: 'person',
    name: found.name,
    title,
    company,
    emails,
    phones,
    profiles,
  });
}

/** A branch whose line below names its head: "Syston Green", "Manager: Jane Doe". */
function isPlaceOf(title: string, name: string): boolean {
  const named = nameEvidence(name) === 'known' ? [] : namesInText(title);
  return named.some((one) => nameEvidence(one.name) === 'known');
}

/** The rest of the line of a name. */
function textBehind({ name, line }: FoundName, { lines }: PageLines): string {
  const text = lines[line]?.text ?? '';
  const at = text.indexOf(name);
  return at === -1 ? '' : text.slice(at + name.length);
}

function keyOf({ name }: ContactCard): string {
  return personNameKey(name ?? '');
}

function strengthOf([first]: readonly FoundName[]): number {
  return first?.strength ?? 0;
}

interface ReadCard {
  card: PersonCard;
  from: number;
  to: number;
}

interface PlacedNames {
  source: PageSource;
  page: PageLines;
  /** All names of the page. */
  others: readonly PlacedName[];
  /** The page shows people, or tells about the organisation in another way. */
  isOfOrganization: boolean;
  /** Its address or title says so. */
  isNamedForIt: boolean;
  /** They say that it shows people. */
  isNamedForTeam: boolean;
  isOfTeam: boolean;
}

function readGroup(
  group: readonly FoundName[],
  { source, page, others, isOfOrganization, isNamedForIt, isNamedForTeam, isOfTeam }: PlacedNames,
): ReadCard[] {
  const isOfNames = areMostlyNames(group.map(({ name }) => name));
  const read = cardExtents(group.slice(0, MAX_CARDS), page, others)
    .map(({ from, to, ...extent }) => ({
      from,
      to,
      card: readPersonCard({ from, to, ...extent }, source, page),
    }))
    .filter(({ card }) => isOfNames || mayBePerson(card));
  const distinct = new Set(read.map(({ card }) => card.found.key)).size;
  const convincing = new Set(
    read.filter(({ card }) => isConvincing(card)).map(({ card }) => card.found.key),
  ).size;
  const isTeam = distinct >= 2 && isOfTeam && isAllPlaced(read);
  const isOfPeople = isOfNames && isOfOrganization && isNamedForIt && isPlaced(read, isOfTeam);
  const mayBeBare = isOfNames && isOfTeam && distinct >= 2;
  const isOwn = ({ card }: ReadCard): boolean =>
    hasAnything(card) || (mayBeBare && isBareName(card, page, isNamedForTeam));
  if ((convincing >= 2 && convincing * 2 >= distinct) || isTeam || isOfPeople) {
    return withUsualTitles(read, isOfPeople).filter(isOwn);
  }
  if (mayBeBare && convincing === 0) return read.filter(isOwn);
  return read.flatMap(({ card, ...lines }) => {
    const office = headingOfOffice(card, page);
    const isPerson = (isOfOrganization || office !== null) && isKnownWithContact(card, page);
    if (!isPerson && !standsAlone(card)) return [];
    const unknown = card.unknownTitle ?? office;
    const title = card.title ?? (isPerson || card.hasOwnContact ? unknown : null);
    return [{ ...lines, card: { ...card, title } }];
  });
}

/** A name without a known given name needs a role right beside it, or a contact of its own. */
function mayBePerson({ found, title, isTitleNear, hasOwnContact }: PersonCard): boolean {
  if (hasOwnContact || (isTitleNear && title !== null && isRoleLine(title))) return true;
  return nameEvidence(found.name) !== 'unknown';
}

/** Among people, and if most cards have one, the line in the place of the role is the role, whatever its words. */
function withUsualTitles(read: readonly ReadCard[], isOfPeople: boolean): ReadCard[] {
  const isUsual = isOfPeople || countPlaced(read) * 2 >= read.length;
  return read.map((one) => {
    const title = one.card.title ?? (isUsual ? one.card.unknownTitle : null);
    return { ...one, card: { ...one.card, title } };
  });
}

function countPlaced(read: readonly ReadCard[]): number {
  return read.filter(({ card }) => card.isTitleNear || card.unknownTitle !== null).length;
}

function isAllPlaced(read: readonly ReadCard[]): boolean {
  return countPlaced(read) === read.length && read.every(({ card }) => !card.isAuthor);
}

/** Most names, or some on a page that shows people, have a line in the place of a role, and none is an author's. */
function isPlaced(read: readonly ReadCard[], isOfTeam: boolean): boolean {
  const placed = countPlaced(read);
  const isEnough = placed * 2 >= read.length || (isOfTeam && placed > 0);
  return isEnough && read.every(({ card }) => !card.isAuthor);
}

/** A known given name with contacts right below it, or below unknown words in the place of a role. */
function isKnownWithContact(
  { found, unknownTitle, ...card }: PersonCard,
  { lines }: PageLines,
): boolean {
  if (card.isAuthor || found.isTentative) return false;
  if (unknownTitle === null && !isContactLine(lines[found.line + 1]?.text)) return false;
  return card.emails.length + card.phones.length > 0 && nameEvidence(found.name) === 'known';
}

/** A page whose address or headings say that it shows the organisation's people. */
function isTeamPage({ url }: PageSource, { lines }: PageLines): boolean {
  const names = partsOfPath(url);
  const headings = lines.filter(({ elements: [element] }) => isHeading(element ?? null));
  return [...names, ...headings.slice(0, MAX_HEADINGS).map(({ text }) => text)].some(
    (name) => name !== '' && kindOfName(name)?.kind === 'team',
  );
}

/** A page whose address or title says that it is of one of these kinds. */
function isNamedFor(kinds: ReadonlySet<string>, { url, page }: PageSource): boolean {
  const names = [...partsOfPath(url), ...page.title.split(/\s[|–—-]\s/u)];
  return names.some((name) => kinds.has(kindOfName(name)?.kind ?? ''));
}

function partsOfPath(url: string): string[] {
  const path = decodeURIComponentOr(URL.parse(url)?.pathname ?? '');
  return path.split('/').map((part) => part.replace(/\.\w{2,5}$/, ''));
}

function isHeading(element: HtmlElement | null): boolean {
  return element !== null && /^h[1-3]$/.test(element.name);
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function isConvincing(card: PersonCard): boolean {
  const { found, title, unknownTitle, hasOwnContact, emails, phones, isAuthor } = card;
  if (isAuthor) return hasOwnContact;
  if (title !== null || hasOwnContact) return true;
  // Towns have phone numbers, too, but no line in the place of a role.
  const isReachable = emails.length > 0 || (phones.length > 0 && unknownTitle !== null);
  return isReachable && !found.isTentative;
}

function hasAnything({ title, isAuthor, ...card }: PersonCard): boolean {
  const contacts = card.emails.length + card.phones.length + card.profiles.length;
  if (contacts > 0) return true;
  return title !== null && !isAuthor;
}

function standsAlone(card: PersonCard): boolean {
  const { found, title, isTitleNear, hasOwnContact, isAuthor } = card;
  if (hasOwnContact) return true;
  if (found.isNamed && card.phones.length + card.emails.length > 0) return true;
  if (title === null || isAuthor || found.isTentative) return false;
  if (found.isLabelled || (isTitleNear && found.strength === 3)) return true;
  return isTitleNear && card.phones.length + card.emails.length + card.profiles.length > 0;
}

/** An address or profile under several names belongs to the organisation. */
function withoutShared(cards: readonly PersonCard[]): PersonCard[] {
  const keys = new Map<string, Set<string>>();
  for (const { found, emails, profiles } of cards) {
    for (const value of [...emails, ...profiles]) {
      keys.set(value, (keys.get(value) ?? new Set()).add(found.key));
    }
  }
  const isOwn = (value: string): boolean => keys.get(value)?.size === 1;
  return cards.map((card) => ({
    ...card,
    emails: card.emails.filter(isOwn),
    profiles: card.profiles.filter(isOwn),
  }));
}
