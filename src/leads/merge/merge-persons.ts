import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { joinDrafts } from './join-drafts.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';

/** An address or profile under more names than this identifies no one, and comparing all of them would take forever. */
const MAX_NAMES_OF_KEY = 20;
/** No one has this many namesakes on one site; further ones are dropped. */
const MAX_NAMESAKES = 50;

/**
 * One draft per person. Drafts are the same person when they share a personal address and a name, or a LinkedIn
 * profile; also when they have the same name on the same site, unless the addresses or profiles show that they are
 * two.
 */
export function mergePersons(drafts: readonly LeadDraft[]): LeadDraft[] {
  const byAddress = joinWhere(drafts, ({ emails }) => personal(emails), areNamesAlike);
  const byProfile = joinWhere(byAddress, ({ linkedin }) => linkedin.map(({ value }) => value));
  // "Doe Jane" and "Jane Doe" are one.
  const named = Map.groupBy(
    byProfile,
    (draft) => `${nameKeyOf(draft).split(' ').toSorted().join(' ')} ${draft.siteDomain}`,
  );
  return [...named.values()].flatMap(joinNamesakes);
}

function nameKeyOf({ name }: LeadDraft): string {
  return name ? personNameKey(name.value) : '';
}

/** "J. Doe" and "Jane Doe" may be the same; "John Doe" and "Jane Doe" may share an address without being the same. */
function areNamesAlike(a: LeadDraft, b: LeadDraft): boolean {
  const [one, other] = [nameKeyOf(a), nameKeyOf(b)];
  if (one === '' || other === '' || one === other) return true;
  const [words, others] = [one.split(' '), other.split(' ')];
  if (words.at(-1) !== others.at(-1)) return words.toSorted().join() === others.toSorted().join();
  const [first = '', second = ''] = [words[0], others[0]];
  const [shorter, longer] = first.length < second.length ? [first, second] : [second, first];
  return words.length === 1 || others.length === 1 || longer.startsWith(shorter);
}

function personal(emails: readonly Evidenced[]): string[] {
  return emails.map(({ value }) => value).filter((email) => !isRoleAddress(email));
}

/** Merges drafts that share a key, directly or through others. */
function joinWhere(
  drafts: readonly LeadDraft[],
  keysOf: (draft: LeadDraft) => string[],
  mayJoin: (a: LeadDraft, b: LeadDraft) => boolean = () => true,
): LeadDraft[] {
  const parents = drafts.map((_, index) => index);
  const rootOf = (index: number): number => {
    let at = index;
    for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
      parents[at] = parents[up] ?? up;
      at = up;
    }
    return at;
  };
  /** The first draft of each name under each key, so the number of names bounds the list. */
  const seen = new Map<string, number[]>();
  for (const [index, draft] of drafts.entries()) {
    for (const key of keysOf(draft)) {
      const known = seen.get(key) ?? [];
      if (known.length >= MAX_NAMES_OF_KEY) continue;
      const match = known.find((other) => mayJoin(drafts[other] ?? draft, draft));
      if (match === undefined) seen.set(key, [...known, index]);
      else parents[Math.max(rootOf(match), rootOf(index))] = Math.min(rootOf(match), rootOf(index));
    }
  }
  const groups = Map.groupBy(drafts.keys(), rootOf);
  return [...groups.values()].map((group) => joinDrafts(group.flatMap((at) => drafts[at] ?? [])));
}

/**
 * Merges drafts with the same name: first those with an address or profile of their own, then the others that fit
 * them.
 */
function joinNamesakes(drafts: readonly LeadDraft[]): LeadDraft[] {
  const [first] = drafts;
  if (drafts.length === 1 || !first || nameKeyOf(first) === '') return [...drafts];
  const groups: LeadDraft[][] = [];
  const surest = drafts.toSorted((a, b) => identities(b) - identities(a)).slice(0, MAX_NAMESAKES);
  for (const draft of surest) {
    const fitting = groups.filter((group) => group.every((other) => !areTwo(other, draft)));
    const group = fitting.length > 1 ? fitting.find((one) => shareFact(one, draft)) : fitting[0];
    if (group) group.push(draft);
    // Nothing shows whose it is, and it adds nothing: it does not become a third person.
    else if (fitting.length === 0 || draft.phones.length + draft.twitter.length > 0)
      groups.push([draft]);
  }
  return groups.map(joinDrafts);
}

function identities({ emails, linkedin }: LeadDraft): number {
  return (personal(emails).length > 0 ? 2 : 0) + (linkedin.length > 0 ? 1 : 0);
}

function areTwo(a: LeadDraft, b: LeadDraft): boolean {
  const [mails, otherMails] = [personal(a.emails), personal(b.emails)];
  if (mails.some((email) => otherMails.includes(email))) return false;
  if (mails.length > 0 && otherMails.length > 0) return true;
  const profiles = a.linkedin.map(({ value }) => value);
  if (profiles.length === 0 || b.linkedin.length === 0) return false;
  return !b.linkedin.some(({ value }) => profiles.includes(value));
}

function shareFact(group: readonly LeadDraft[], { phones, title, twitter }: LeadDraft): boolean {
  return group.some(
    (other) =>
      (title !== null && other.title?.value.toLowerCase() === title.value.toLowerCase()) ||
      haveCommon(other.phones, phones) ||
      haveCommon(other.twitter, twitter),
  );
}

function haveCommon(some: readonly Evidenced[], others: readonly Evidenced[]): boolean {
  return some.some(({ value }) => others.some((other) => other.value === value));
}
