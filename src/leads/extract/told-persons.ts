import { LEADS } from './leading-verbs.ts';
import { nameEvidence } from './name-evidence.ts';
import { firmIn, type NameInText, namesInText } from './names-in-text.ts';
import type { PageSubject } from './page-subject.ts';
import { phraseOfTitle } from './role-text.ts';
import { spelledOutStart } from './spelled-out-email.ts';
import { withoutTitles } from './stated-role.ts';
import { OF_FIRM, OF_THE_PAST, OUTSIDERS } from './words-of-others.ts';

/** How a card shows a person who is told of. */
export interface Told {
  title: string | null;
  technique: 'team-card' | 'team-name';
}
export const BY_NAME: Told = { title: null, technique: 'team-name' };

/** What stands around a name in a clause. */
interface ToldName {
  /** Without titles at its end. */
  before: string;
  after: string;
}

/** A verb, or what somebody is, right behind a name at the start of a clause. */
const VERB_BEHIND =
  /^\s+(?!(?:and|or|of|from|at|in|on|for|with|und|oder|von|vom|aus|bei|mit|et|ou|de|du|des|y|o|del|e|di|da|dal|do|en|of|van|uit|bij|met|och|eller|från|med|og|fra|ved|ja|tai|i|lub|z|ze|a|nebo|od|și|sau|din|ve)\s)\p{Ll}{2,}/u;
/** "Upper Tarnbeck – " in a list, and what may end such a line. */
const ENTRY = /^\p{Lu}[^:;,.–—]{2,40}\s[–—-]\s+$/u;
const END = /^\s*(?:[.,;(]|$)/u;
const ASIDE_BEHIND = /^,\s+([^,.;:]{3,60}),\s+\p{Ll}/u;
const LAST_CENTURY = /(?<!\d)19\d\d(?!\d)/u;
/** "la endodoncista", "the groundsman" */
const OTHER_ROLE =
  /(?:^|\s)(?:our|the|la|el|le|il|lo|o|a|os|as|der|die|unser\p{Ll}*|de|het|onze|notre|nuestr[oa]|vår|vores)\s(\p{Ll}{6,})\s+$/u;
const ABSTRACT =
  /(?:[cz]i[aoóò]n?|zione|ti?on|ung|heit|keit|schaft|tät|té|ment|mento|dad|dade|ção|ência|ância|ität|iteit|ning|tura|ture)$/u;
/** Terms of office, which are over. */
const YEARS_BEHIND = /^\s*\(\d{4}/u;
/** "Acme Farm (" and "Accounts: Acme Tools, " are about whom they name first. */
const OTHER_BEFORE = /\p{Lu}[\p{L}’'.-]*\s*\($|:\s+\p{Lu}\p{L}+(?:\s\p{Lu}\p{L}+)*,\s*$/u;
const MEMBERS_ARE =
  /(?:members|mitglieder|membres|miembros|vocales|membri|consiglieri|membros|vogais|leden|ledamöter|medlemmer|medlemmar|jäseniä|jäsenet|członkami|członkowie|členy|členové)\s(?:are|sind|sont|son|sono|são|zijn|är|er|ovat|są|jsou)(?:\s\p{Ll}+)?\s+$/iu;
/** "this year it is", "Dat is" */
const IT_IS =
  /(?<!\p{L})(?:(?:that|this|it|das|dies|es|dat|dit|to|det|se|ez|toto)\s(?:is|ist|jest|je|är|er|on)|c['’]est)\s+$/iu;
/** Right before whom one may reach: "book with", "bestellen bei", "auprès de". */
const REACHED =
  /(?<!\p{L})(?:with|to|call|ring|ask|contact|über|bei|an|auprès de|chez|à|contactez|presso|a|con|com|hos|till|til|kontakta|kontakt|bij|met|via|u|przez)\s+$/iu;
const CONTACT_AT_ONCE =
  /^\s*[,;:(–—-]?\s*(?:\p{L}{1,8}\.?:?\s*)?(?:[+(]?\d(?:[\s()./-]*\d){6}|[^\s@,;]+@)/u;
const LONGEST_ADDRESS = 80;
/** Between a name and its address. */
const MAX_BEFORE_ADDRESS = 10;

/** What a clause tells of a person with a known given name, but without a known role; null for nothing. */
export function toldOf(
  clause: string,
  { name, from, to }: NameInText,
  subject: PageSubject,
): Told | null {
  if (nameEvidence(name) !== 'known' || OF_THE_PAST.test(clause) || OUTSIDERS.test(clause)) {
    return null;
  }
  const [before, after] = [withoutTitles(clause.slice(0, from)), clause.slice(to)];
  if (firmIn(clause) !== null || !mayBeOwn({ before, after })) return null;
  if (isCalled(after) && (subject !== 'other' || isReached({ before, after }))) {
    return BY_NAME;
  }
  if (subject === 'other') return null;
  if (isIt({ before, after })) return BY_NAME;
  if (subject !== 'team') return null;
  if (areMembers(before) || LEADS.test(after)) return BY_NAME;
  const title = roleInUnknownWord({ before, after });
  if (title !== null) return { title, technique: 'team-card' };
  const told = toldAtStart({ before, after });
  return told && { ...told, technique: 'team-name' };
}

/** A known given name with a contact right behind it needs no role: "led by Jane Doe, 020 …". */
function isCalled(after: string): boolean {
  const spelledOut = spelledOutStart(after.slice(0, LONGEST_ADDRESS));
  return CONTACT_AT_ONCE.test(after) || (spelledOut !== -1 && spelledOut <= MAX_BEFORE_ADDRESS);
}

/** On a page of people: what a clause says of the person whose known name it begins with; null for nothing. */
function toldAtStart({ before, after }: ToldName): { title: string | null } | null {
  if (ENTRY.test(before) && END.test(after)) return { title: null };
  if (before.trim() !== '' || LAST_CENTURY.test(after) || OF_FIRM.test(after)) return null;
  const aside = ASIDE_BEHIND.exec(after)?.[1];
  if (aside !== undefined) return { title: phraseOfTitle(aside) };
  // "Jane Doe thanks John Smith"
  return VERB_BEHIND.test(after) && namesInText(after).length === 0 ? { title: null } : null;
}

/** On a page of people: the word of unknown meaning between an article and a known name. */
function roleInUnknownWord({ before, after }: ToldName): string | null {
  const word = OTHER_ROLE.exec(before)?.[1] ?? null;
  return word === null || ABSTRACT.test(word) || OF_FIRM.test(after) ? null : word;
}

/** Whether the names that follow are those of members. */
function areMembers(before: string): boolean {
  return MEMBERS_ARE.test(before);
}

/** "The sixth? That is Jane Doe." */
function isIt({ before, after }: ToldName): boolean {
  return IT_IS.test(before) && END.test(after) && !OF_FIRM.test(after);
}

/** Whether the name is not that of somebody of another firm, or of earlier times. */
function mayBeOwn({ before, after }: ToldName): boolean {
  return !YEARS_BEHIND.test(after) && !OTHER_BEFORE.test(before);
}

/** "contact Deputy Jane Doe on 020 …" */
export function isReachedByRole({ before, after }: ToldName, title: string): boolean {
  const lead = withoutTitles(before).trimEnd();
  const isBehind = lead.endsWith(title) && REACHED.test(lead.slice(0, -title.length));
  return isBehind && CONTACT_AT_ONCE.test(after);
}

/** Right behind words such as "book with", and not of a firm. */
function isReached({ before, after }: ToldName): boolean {
  return REACHED.test(before) && !OF_FIRM.test(after);
}
