import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { isBelowOthersHeading, isAboutOthers } from './foreign-contacts.ts';
import { emailsOfLine } from './line-emails.ts';
import { ALSO, AND, isAnother, isHelper, isListed, LIST, sharedRoles } from './joined-names.ts';
import { LED, PRESIDED } from './leading-verbs.ts';
import { isContactPersonLabel } from './line-label.ts';
import { areMostlyNames, nameEvidence, withoutWordBefore } from './name-evidence.ts';
import { firmIn, type NameInText, namesInText } from './names-in-text.ts';
import { domainOfEmail, isAtDomain } from './own-domain.ts';
import { personsInNews } from './news-persons.ts';
import { BOUNDARY, type PageLine, type PageLines, withBoundaries } from './page-lines.ts';
import { type PageSubject, subjectOf } from './page-subject.ts';
import type { PageSource } from './page-source.ts';
import { phraseOfTitle } from './role-text.ts';
import { isRoleLine } from './role-words.ts';
import { roleBefore, roleBehind, type StatedRole, withoutTitles } from './stated-role.ts';
import { columnNamed } from './table-columns.ts';
import { BY_NAME, toldOf } from './told-persons.ts';
import {
  CREDIT,
  DEAD,
  isAuditorOfFirm,
  isOfAnother,
  isOfPartners,
  NO_PEOPLE,
  OF_FIRM,
  OF_THE_PAST,
  OUTSIDERS,
  PART_OF_NAME,
  SUPPLIERS,
} from './words-of-others.ts';

const LONGEST_LINE = 900;
/** Of text that is searched for people: at worst, names in a text of this length take a second. */
const MOST_CHARACTERS = 200_000;
const MAX_PERSONS = 200;
/** The last also before a label: "John Fox. Caretaker: Jane Doe". */
const SENTENCE_END =
  /(?<=\p{L}{4}|[)\d])(?<!Prof|Dipl|Univ)[.!?]\s+(?=\p{Lu})|(?<=\p{Ll}{2})\.\s+(?=\p{Lu}\p{Ll}+(?:\s\p{L}+){0,2}:\s\p{Lu})/u;
/** A contact soon behind a name; an account number is none. */
const CONTACT_BEHIND =
  /^.{0,60}?(?:(?<![A-Z]{2}(?:\d[\d ]*)?)[+(]?\d(?:[\s()./-]*\d){6}|[^\s@,;]+@)/u;
/** A year long ago, a quotation, or the date and time of an event. */
const ELSEWHEN =
  /(?<!\d)1[5-9]\d\d(?!\d)|[„“”"«»]|(?<![\d ])\d{1,2}[.:]\d{2}(?!\d|[\s.]\d)|^\d{1,2}[./]\s?\d{1,2}/u;
/** "since 1987" is not over. */
const SINCE =
  /(?<!\p{L})(?:since|seit|depuis|desde|dal|sinds|sedan|siden|od|vuodesta)\s(?:\p{Ll}+\s)?1[5-9]\d\d(?!\d)/giu;
const LABEL = /^([^:]{3,40}?)\s*:\s*$/u;
/** "his deputy", behind a person with a role. */
const HIS =
  /(?<!\p{L})(?:his|her|their|seine?|ihre?|son|sa|sus?|suo|sua|seu|zijn|haar|hans|hennes|hendes|sin|jego|jej|jeho|její)\s+\p{L}[\p{L}-]*\s+(?:\p{Lu}\p{L}{0,5}\.\s*)*$/iu;
const MAX_WORDS_OF_LABEL = 4;
const LINES_BELOW_HEADING = 30;
const LONGEST_HEADING = 80;
/** Of office: "Board 2023–2027". */
const YEARS = /[\s,(]*\d{4}(?:\s?[–/-]\s?\d{2,4})?\)?$/u;
/** "What people say" is no body. */
const MIN_SHARE = 0.5;
const HEADINGS = new Set('h1 h2 h3 h4 h5 h6 dt th strong b legend'.split(' '));
/** What may stand beside the names in a line of names: titles, a party or role in brackets. */
const BETWEEN_NAMES =
  /^(?:[\s,;.&·•–-]|\([^()]{1,40}\)|(?<!\p{L})\p{L}{1,6}\.[ªº]?|(?<!\p{L})(?:und|and|et|y|e|en|i|og|och|a|és|ja|și|ve|και)(?!\p{L}))*$/iu;
/** Nothing comes behind a name, or another one. */
const LIST_END = new RegExp(String.raw`^\s*(?:$|[,;/&]|\(|\s${ALSO}\s\p{Lu})`, 'u');

/**
 * People whom a page names with their role in a sentence or a list: "Case officer is Jane Doe", "the chair, Jane Doe
 * (020 …)", "Auditors: Jane Doe and John Smith". Away from pages about the organisation, such as a product's, role and
 * name must be a statement by themselves, or have a contact behind them. News name the people of others.
 */
export function statedPersons(page: PageLines, source: PageSource): ContactCard[] {
  const subject = subjectOf(source, page);
  const cards: ContactCard[] = [];
  const site = registrableDomain(source.url) ?? '';
  let heading: { title: string | null; at: number; isOfOthers: boolean } = {
    title: null,
    at: 0,
    isOfOthers: false,
  };
  let characters = 0;
  for (const [at, line] of page.lines.entries()) {
    if (cards.length >= MAX_PERSONS) break;
    if (line.isForeign || line.isAuthor || line.text.length > LONGEST_LINE) continue;
    const text = withBoundaries(line);
    if (isHeadingLine(line)) {
      heading = { title: titleOfHeading(line.text), at, isOfOthers: SUPPLIERS.test(line.text) };
    }
    if (heading.isOfOthers) continue;
    if (isBelowOthersHeading(at, page.lines) || isBelowQuotation(at, page)) continue;
    characters += text.length;
    if (characters > MOST_CHARACTERS) break;
    const isBelow =
      subject !== null && heading.title !== null && at - heading.at <= LINES_BELOW_HEADING;
    const named = isBelow ? namesOnly(text) : [];
    for (const { name } of named) cards.push(personCard(name, heading.title ?? ''));
    if (named.length > 0) continue;
    const emphasized = subject === 'team' ? emphasizedIn(line) : new Set<string>();
    for (const clause of text.split(SENTENCE_END)) {
      if (
        !DEAD.test(clause) &&
        !ELSEWHEN.test(clause.replace(SINCE, '')) &&
        !isOfOthers(clause, line, site)
      ) {
        const about = isBelow ? 'team' : subject;
        cards.push(
          ...(about === null
            ? personsInNews(clause, site).map(({ name, title }) => personCard(name, title))
            : personsIn(clause, { subject: about, site, emphasized })),
        );
      }
    }
  }
  return cards;
}

/** The author of a quotation stands below it. */
export function isBelowQuotation(at: number, { lines }: PageLines): boolean {
  return /^[“”„"«»]/u.test(lines[at - 1]?.text ?? '');
}

/** A clause about another organisation: one with an address elsewhere, or a maker of the site. */
function isOfOthers(clause: string, line: PageLine, site: string): boolean {
  if (isAboutOthers(clause)) return true;
  const emails = emailsOfLine(line);
  if (emails.length === 0 || emails.some((email) => isAtDomain(email, site))) return false;
  return emails.some((email) => domainOfEmail(email) !== null);
}

/** A heading with a role, or the name of a body, is the role of those below it. */
function titleOfHeading(written: string): string | null {
  const text = written.replace(YEARS, '');
  if (OUTSIDERS.test(text) || OF_THE_PAST.test(text) || NO_PEOPLE.test(text)) return null;
  const named = kindOfName(text);
  const isBody = named?.kind === 'team' && named.share >= MIN_SHARE && phraseOfTitle(text) !== null;
  return isBody || isRoleLine(text) ? text : null;
}

/** The names of a line that has nothing else but, in the next element, what the person is from. */
function namesOnly(written: string): NameInText[] {
  const [text = ''] = written.split(BOUNDARY, 1);
  if (kindOfName(text) !== null) return [];
  const names = namesInText(text);
  let end = 0;
  for (const { from, to } of [...names, { from: text.length, to: text.length }]) {
    if (!BETWEEN_NAMES.test(text.slice(end, from))) return [];
    end = to;
  }
  const isListOfNames = areMostlyNames(names.map(({ name }) => name));
  return names.filter(
    ({ name, to }) =>
      (isListOfNames || nameEvidence(name) !== 'unknown') && !isOfAnother('', text.slice(to)),
  );
}

interface Surroundings {
  subject: PageSubject;
  site: string;
  /** Parts of the line that are set off from it. */
  emphasized: ReadonlySet<string>;
}

/** The parts of a line that are bold, unless all of it is. */
function emphasizedIn({ pieces, elements }: PageLine): ReadonlySet<string> {
  const isBold = elements.map((element) => element !== null && /^(?:b|strong)$/.test(element.name));
  return new Set(isBold.every(Boolean) ? [] : pieces.filter((_, piece) => isBold[piece]));
}

function personsIn(clause: string, { subject, site, emphasized }: Surroundings): ContactCard[] {
  const cards: ContactCard[] = [];
  /** The label that also applies to a name after a separator, and where it last did. */
  let label: StatedRole | null = null;
  let end = 0;
  const names = namesInText(clause);
  const shared = sharedRoles(names, clause, subject);
  const isLed = ledIn(names, clause, subject);
  const isListOfNames = areMostlyNames(names.map(({ name }) => name));
  const isTold: boolean[] = [];
  const isShown: boolean[] = [];
  for (const [at, { name, from, to }] of names.entries()) {
    const after = clause.slice(to);
    const listed: StatedRole | null = LIST.test(withoutTitles(clause.slice(end, from)))
      ? label
      : null;
    const role: StatedRole | null =
      listed ?? roleAround(clause.slice(0, from), name, after, subject) ?? shared[at] ?? null;
    if (PART_OF_NAME.test(after) || isOfPartners(after, site)) continue;
    if (isOfAnother(clause.slice(0, from), after)) continue;
    if (role === null) {
      const between = clause.slice(names[at - 1]?.to, from);
      const isJoined =
        (isTold[at - 1] === true && isAnother(between, name)) ||
        (isShown[at - 1] === true && isHelper(between, name));
      const isSetOff = emphasized.has(name) && nameEvidence(name) === 'known';
      const isNamed = isLed[at] === true || isJoined || (isSetOff && !tellsOfOthers(clause, after));
      const told = isNamed ? BY_NAME : toldOf(clause, { name, from, to }, subject);
      isTold[at] = told !== null;
      isShown[at] = told !== null;
      if (told !== null) cards.push(personCard(name, told.title, told.technique));
      continue;
    }
    label = role.isLabel ? role : null;
    end = to;
    isTold[at] = isTold[at - 1] === true && isListed(clause.slice(names[at - 1]?.to, from));
    if (!role.isOwn && !isListOfNames && nameEvidence(name) === 'unknown') continue;
    const hasContact = CONTACT_BEHIND.test(after) && firmIn(clause) === null;
    if (isAuditorOfFirm(role.title, after)) continue;
    const isSecond = cards.length > 0 && HIS.test(clause.slice(0, from));
    const isSure = [subject !== 'other', role.isOwn, role.isStatement, hasContact, isSecond].some(
      Boolean,
    );
    if (!isSure || OF_THE_PAST.test(clause) || OUTSIDERS.test(role.title)) continue;
    isShown[at] = true;
    cards.push(personCard(name, role.title));
  }
  return cards;
}

/** Which of the names lead or look after something by a verb: "led by Jane Doe", "Die Abteilung leitet Jane Doe". */
function ledIn(names: readonly NameInText[], clause: string, subject: PageSubject): boolean[] {
  const isLed: boolean[] = [];
  for (const [at, { name, from, to }] of names.entries()) {
    const before = names[at - 1];
    const isSure =
      subject !== 'other' || CONTACT_BEHIND.test(clause.slice(to)) || !PRESIDED.test(clause);
    const isJoined =
      before !== undefined &&
      isLed[at - 1] === true &&
      AND.test(withoutTitles(clause.slice(before.to, from)));
    const isOwn = isJoined || (isSure && LED.test(withoutTitles(clause.slice(0, from))));
    const evidence = nameEvidence(name);
    const isPerson = evidence === 'known' || (subject === 'team' && evidence === 'unsure');
    isLed.push(isOwn && isPerson && !OF_FIRM.test(clause.slice(to)));
  }
  const isOfOthers = firmIn(clause) !== null || OF_THE_PAST.test(clause) || OUTSIDERS.test(clause);
  return isOfOthers ? [] : isLed;
}

/** Whether a clause tells of others, or a name in it stands before its firm. */
function tellsOfOthers(clause: string, after: string): boolean {
  return OF_THE_PAST.test(clause) || OUTSIDERS.test(clause) || OF_FIRM.test(after);
}

function roleAround(
  before: string,
  name: string,
  after: string,
  subject: PageSubject,
): StatedRole | null {
  const stated = roleBefore(before) ?? roleBehind(after);
  const hasContact = subject === 'organization' && CONTACT_BEHIND.test(after);
  const isKnown = nameEvidence(name) === 'known' && LIST_END.test(after) && firmIn(after) === null;
  const isLabelled = subject === 'team' || hasContact || isKnown;
  return stated ?? (isLabelled ? labelBefore(before) : null);
}

/** On a page of people, or before a name with a contact, any label at the start of a clause tells what the person does. */
function labelBefore(before: string): StatedRole | null {
  const title = LABEL.exec(withoutTitles(before))?.[1] ?? '';
  if (title === '' || title.split(' ').length > MAX_WORDS_OF_LABEL) return null;
  if (CREDIT.test(title) || phraseOfTitle(title) === null || columnNamed(title) !== null)
    return null;
  // "Acme Tools, contact:"
  const last = title.split(/,\s*/u).at(-1) ?? '';
  if (last !== title && isContactPersonLabel(last)) return null;
  return { title, isLabel: true, isStatement: true, isOwn: false };
}

function personCard(
  name: string,
  title: string | null,
  technique: 'team-card' | 'team-name' = 'team-card',
): ContactCard {
  return contactCard({
    technique,
    kind: 'person',
    name: withoutWordBefore(name),
    title,
  });
}

/** A heading, a term, or a line that is emphasized as a whole. */
function isHeadingLine({ elements, text }: PageLine): boolean {
  return text.length <= LONGEST_HEADING && elements.every(isInHeading);
}

function isInHeading(element: HtmlElement | null): boolean {
  let at: HtmlNode | null = element;
  for (let up = 0; at && isElement(at) && up < 3; up += 1) {
    if (HEADINGS.has(at.name)) return true;
    at = at.parent;
  }
  return false;
}
