import type { PageLine } from './page-lines.ts';

/** Class names for positions. */
const TITLE_CLASS =
  /(?:^|[\s_-])(?:role|job-?title|jobtitle|position|function|funktion|poste|fonction|cargo|puesto|ruolo|stanowisko|beruf|occupation|designation)(?:$|[\s_-])/i;

/** Whether the class of a line's first element names a person's position. */
export function isMarkedAsTitle({ elements: [element] }: PageLine): boolean {
  const named = `${element?.attribs['class'] ?? ''} ${element?.attribs['itemprop'] ?? ''}`;
  return named.length > 1 && TITLE_CLASS.test(named.slice(0, 200));
}
