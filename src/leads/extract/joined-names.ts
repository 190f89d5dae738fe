import { nameEvidence } from './name-evidence.ts';
import type { NameInText } from './names-in-text.ts';
import type { PageSubject } from './page-subject.ts';
import { roleBefore, roleBehind, type StatedRole, withoutTitles } from './stated-role.ts';

/** "and" */
export const ALSO = '(?:und|and|et|y|e|i|en|og|och|a|és|ja|și|ve|και|и|та|oraz)';
/** Between two names. */
export const AND = new RegExp(String.raw`^(?:\s*\([^()]{1,40}\))?\s*(?:&|${ALSO}(?=\s))\s*$`, 'u');
const WITH_HELP =
  /(?<!\p{L})(?:(?:together|along) with|with the help of|supported by|assisted by|(?:zusammen|gemeinsam) mit|unterstützt von|avec l['’]aide de|aux côtés de|junto (?:a|con|com)|insieme ad?|affiancat[oa] da|samen met|tillsammans med|sammen med|razem z|spolu s)\s+$/iu;
/** Between two names of a list. */
export const LIST = new RegExp(
  String.raw`^(?:\s*\([^()]{1,40}\))?\s*(?:[,;/&]|\s${ALSO}\s)\s*$`,
  'iu',
);
const NEXT_IN_LIST = new RegExp(String.raw`^(?:\s*\([^()]{1,40}\))?(?:,|\s${ALSO}\s)`, 'iu');

/**
 * The roles of names that "and" joins to a name with a role, on pages about the organisation: "our two groundsmen, Jane
 * Doe and John Smith", "Jane Doe and John Smith (caretakers)".
 */
export function sharedRoles(
  names: readonly NameInText[],
  clause: string,
  subject: PageSubject,
): (StatedRole | null)[] {
  const roles: (StatedRole | null)[] = names.map(() => null);
  if (subject === 'other') return roles;
  for (const [at, name] of names.entries()) {
    const before = names[at - 1];
    if (!before || !AND.test(withoutTitles(clause.slice(before.to, name.from)))) continue;
    if (![before, name].every((one) => nameEvidence(one.name) === 'known')) continue;
    const [stated, behind] = [
      roleBefore(clause.slice(0, before.from)),
      roleBehind(clause.slice(name.to)),
    ];
    if (behind === null) roles[at] = stated;
    else if (stated === null) roles[at - 1] = behind;
  }
  return roles;
}

/** Whether "and" or a comma joins a known name to one before it. */
export function isAnother(between: string, name: string): boolean {
  const text = withoutTitles(between);
  return nameEvidence(name) === 'known' && (AND.test(text) || LIST.test(text));
}

/** Whether a list of names goes on with a title or role: ", Deputy Jane Doe". */
export function isListed(between: string): boolean {
  return NEXT_IN_LIST.test(between);
}

/** "with the help of Jane Doe" */
export function isHelper(between: string, name: string): boolean {
  return WITH_HELP.test(withoutTitles(between)) && nameEvidence(name) !== 'unknown';
}
