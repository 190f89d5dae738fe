import { domainOfEmail } from '#src/leads/extract/own-domain.ts';
import { localPartOf } from '#src/leads/extract/name-matches-address.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import type { EmailPattern, LeadDraft } from './lead-draft.ts';

const MIN_EXAMPLES = 2;
const MAX_EXAMPLES = 5;
/** Each address form, with its local part for a first and last name in plain letters. */
const FORMS: readonly (readonly [string, (first: string, last: string) => string])[] = [
  ['first.last@', (first, last) => `${first}.${last}`],
  ['first_last@', (first, last) => `${first}_${last}`],
  ['first-last@', (first, last) => `${first}-${last}`],
  ['firstlast@', (first, last) => first + last],
  ['last.first@', (first, last) => `${last}.${first}`],
  ['f.last@', (first, last) => `${first.charAt(0)}.${last}`],
  ['flast@', (first, last) => first.charAt(0) + last],
  ['firstl@', (first, last) => first + last.charAt(0)],
  ['first.l@', (first, last) => `${first}.${last.charAt(0)}`],
  ['first@', (first) => first],
  ['last@', (_, last) => last],
];

/**
 * The form that most addresses of an organisation's people share, at least two; addresses at mail providers do not
 * count.
 */
export function emailPatternOf(persons: readonly LeadDraft[]): EmailPattern | null {
  const examples = new Map<string, Set<string>>();
  for (const { name, emails } of persons) {
    const words = name ? personNameKey(name.value).split(' ') : [];
    const [first, last] = [words[0], words.at(-1)];
    if (words.length < 2 || first === undefined || last === undefined) continue;
    for (const { value } of emails) {
      if (isRoleAddress(value) || domainOfEmail(value) === null) continue;
      const local = localPartOf(value);
      const pattern = FORMS.find(([, write]) => write(first, last) === local)?.[0];
      if (pattern !== undefined) {
        examples.set(pattern, (examples.get(pattern) ?? new Set()).add(value));
      }
    }
  }
  const [best] = [...examples].toSorted((a, b) => b[1].size - a[1].size);
  if (!best || best[1].size < MIN_EXAMPLES) return null;
  return { pattern: best[0], examples: [...best[1]].slice(0, MAX_EXAMPLES) };
}
