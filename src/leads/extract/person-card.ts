import { isRoleAddress } from '#src/leads/email-facts.ts';
import { canonicalProfile } from './canonical-profile.ts';
import { contactsIn } from './card-contacts.ts';
import type { CardExtent } from './card-extent.ts';
import { type FoundName, withoutEdges } from './find-names.ts';
import { nameMatchesAddress, nameMatchesHandle } from './name-matches-address.ts';
import type { PageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { isDepartmentLine, isRoleLine } from './role-words.ts';

/** What stands in the card of one name. */
export interface PersonCard {
  found: FoundName;
  title: string | null;
  /** The title stands in the line of the name or next to it. */
  isTitleNear: boolean;
  /** A line after the name that may be a role in words that nobody knows. */
  unknownTitle: string | null;
  emails: string[];
  phones: string[];
  profiles: string[];
  /** An address or profile has the person's name. */
  hasOwnContact: boolean;
  isAuthor: boolean;
}

/** Of a card: who writes more of himself writes the role before it. */
const MOST_LINES_TO_TITLE = 8;
/** The address of a house near a lone name is not the person's. */
const MOST_LINES_ALONE = 8;
const LONGEST_UNKNOWN_TITLE = 60;
const NO_TITLE =
  /[@?!]|\d{3}|https?:|\.$|^(?:e-?mail|tel|phone|mobil|fax|t|m|e|p)\b|linkedin|twitter|facebook|instagram|xing|github|vcard|read more|mehr/iu;

export function readPersonCard(
  extent: CardExtent,
  source: PageSource,
  page: PageLines,
): PersonCard {
  const { found, nodes } = extent;
  const { name } = found;
  const near = titleNear(extent, page);
  const contacts = contactsIn(nodes, source, page.styles);
  const isOwnEmail = (email: string): boolean => nameMatchesAddress(name, email);
  const isOwnProfile = (url: string): boolean =>
    nameMatchesHandle(name, decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)));
  const isFar = extent.isAlone && extent.to - extent.from > MOST_LINES_ALONE;
  const personal = contacts.emails.filter((email) => !isRoleAddress(email));
  const ownEmails = personal.filter(isOwnEmail);
  const others = personal.length > 3 || isFar || extent.isAlone ? [] : personal;
  const profiles = contacts.profiles.filter(
    (url) =>
      canonicalProfile(url)?.kind !== 'organization' &&
      (!extent.isAlone || isOwnProfile(url) || !isFar),
  );
  return {
    found,
    title: found.title ?? near?.title ?? null,
    isTitleNear: found.title !== null || (near !== null && near.distance === 1),
    unknownTitle: unknownTitle(extent, page),
    emails: ownEmails.length > 0 ? ownEmails : others,
    phones: isFar || contacts.phones.length > 4 ? [] : contacts.phones,
    profiles,
    hasOwnContact: ownEmails.length > 0 || profiles.some(isOwnProfile),
    isAuthor: page.lines[found.line]?.isAuthor ?? false,
  };
}

/** The role line nearest to the name, first of those after it. */
function titleNear(
  { found, from, to }: CardExtent,
  { lines }: PageLines,
): { title: string; distance: number } | null {
  const ways = [
    { step: 1, end: Math.min(to, found.line + 1 + MOST_LINES_TO_TITLE) },
    { step: -1, end: Math.max(from, found.line - 3) },
  ];
  for (const { step, end } of ways) {
    for (let at = found.line + step; step > 0 ? at < end : at >= end; at += step) {
      const line = lines[at];
      const title = line && titleIn(line.text, line.pieces);
      if (title) return { title, distance: Math.abs(at - found.line) };
    }
  }
  return null;
}

function titleIn(text: string, pieces: readonly string[]): string | null {
  const labelled = /^[^:]{2,25}:\s*(.+)$/u.exec(text)?.[1] ?? '';
  for (const written of [labelled, text, ...text.split(/\s*[|·•]\s*/u), ...pieces]) {
    const part = withoutEdges(written);
    if (part !== '' && (isRoleLine(part) || isDepartmentLine(part))) return part;
  }
  return null;
}

function unknownTitle({ found, to }: CardExtent, { lines }: PageLines): string | null {
  const line = lines[found.line + 1];
  if (!line || found.line + 1 >= to) return null;
  const { text } = line;
  if (text.length < 3 || text.length > LONGEST_UNKNOWN_TITLE || NO_TITLE.test(text)) return null;
  if (/^\p{Ll}/u.test(text)) return null;
  return text.split(' ').length <= 7 ? text : null;
}
