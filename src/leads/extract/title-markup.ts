import type { PageLine } from './page-lines.ts';

/** What markup calls a position. */
const TITLE_CLASS =
  /(?:^|[\s_-])(?:role|job-?title|jobtitle|position|function|funktion|poste|fonction|cargo|puesto|ruolo|stanowisko|beruf|occupation|designation)(?:$|[\s_-])/i;

/** Whether the element that a line begins in is named after the position of a person. */
export function isMarkedAsTitle({ elements: [element] }: PageLine): boolean {
  const named = `${element?.attribs['class'] ?? ''} ${element?.attribs['itemprop'] ?? ''}`;
  return named.length > 1 && TITLE_CLASS.test(named.slice(0, 200));
}
