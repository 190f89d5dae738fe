import { isElement } from '#src/files/html-tree.ts';
import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import type { FoundName } from './find-names.ts';
import type { ListedCard } from './member-groups.ts';
import { nameMatchesAddress } from './name-matches-address.ts';
import { organizationKey } from './organization-key.ts';
import { isRoleLine } from './role-words.ts';
import { headerOf } from './table-columns.ts';

const MAX_PERSONS = 5;

/** People in the card of a listed organisation: those with a role, a label, or an address that contains their name. */
export function memberPersons(
  { from, to, found }: ListedCard,
  organization: ContactCard,
  names: readonly FoundName[],
): ContactCard[] {
  const own = names.filter(
    (name) =>
      name.line >= from &&
      name.line < to &&
      organizationKey(name.name) !== organizationKey(found.name),
  );
  return own.slice(0, MAX_PERSONS).flatMap((name) => {
    const emails = organization.emails.filter(
      (email) => !isRoleAddress(email) && nameMatchesAddress(name.name, email),
    );
    const header = headerAbove(name);
    const title = name.title ?? (header !== null && isRoleLine(header) ? header : null);
    if (title === null && emails.length === 0 && !name.isNamed) return [];
    return [
      contactCard({
        technique: 'member-card',
        kind: 'person',
        entity: 'member',
        name: name.name,
        title,
        company: organization.name,
        emails,
      }),
    ];
  });
}

function headerAbove({ node }: FoundName): string | null {
  let at = node.parent;
  for (let up = 0; at && isElement(at) && up < 4; up += 1) {
    if (at.name === 'td') return headerOf(at);
    at = at.parent;
  }
  return null;
}
