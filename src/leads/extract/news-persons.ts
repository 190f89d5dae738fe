import { nameEvidence } from './name-evidence.ts';
import { namesInText } from './names-in-text.ts';
import { roleBefore } from './stated-role.ts';
import { isReachedByRole } from './told-persons.ts';
import {
  isOfAnother,
  isOfPartners,
  OF_FIRM,
  OF_THE_PAST,
  OURS_BUT_OTHERS,
  OUTSIDERS,
  PART_OF_NAME,
} from './words-of-others.ts';

/**
 * People in a clause of news. News tell of others, too: only whom the organisation calls its own, or names with a number
 * or an address to reach.
 */
export function personsInNews(clause: string, site: string): { name: string; title: string }[] {
  if (OF_THE_PAST.test(clause)) return [];
  return namesInText(clause).flatMap(({ name, from, to }) => {
    const [before, after] = [clause.slice(0, from), clause.slice(to)];
    const role = nameEvidence(name) === 'known' ? roleBefore(before) : null;
    if (role === null || PART_OF_NAME.test(after) || OF_FIRM.test(after)) return [];
    if (isOfPartners(after, site) || isOfAnother(before, after)) return [];
    if (OUTSIDERS.test(role.title) || OURS_BUT_OTHERS.test(role.title)) return [];
    const isOwn = role.isOwn || isReachedByRole({ before, after }, role.title);
    return isOwn ? [{ name, title: role.title }] : [];
  });
}
