import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { namesOtherKind } from './organization-kinds.ts';
import { plainLetters } from './role-lexicon.ts';
import { DETERMINERS, OWN, SALUTATION, withoutTitles } from './stated-role.ts';

/** A name in the text of a line. */
export interface SentencePlace {
  name: string;
  text: string;
  from: number;
  to: number;
  host: string;
  siteName: string;
}

const BEFORE = 80;
/** Shorter ones are in other words. */
const SHORTEST_HOST = 5;
const SEGMENT_START = /^.*[.:;!?()–]\s*/u;
/** Between an article and a name: "der Leiter der Werkstatt Jane Doe". */
const MAX_WORDS = 4;

/** The sentence around a name. */
export function sentenceAround({
  text,
  from,
  to,
}: Pick<SentencePlace, 'text' | 'from' | 'to'>): string {
  const start = text.lastIndexOf('. ', from) + 1;
  const end = text.indexOf('. ', to);
  return text.slice(start, end === -1 ? text.length : end);
}

/** What the sentence around a name says of it. */
export function sentenceSigns(place: SentencePlace): string[] {
  const sentence = sentenceAround(place);
  const { text, from, host, siteName } = place;
  const written = text.slice(Math.max(0, from - BEFORE), from);
  const before = withoutTitles(written);
  const bracket = /\(([^()]*)$/u.exec(written);
  const words = wordsBefore(before);
  return chosen({
    courtesy: SALUTATION.test(written),
    'host in sentence': namesHost(sentence, host),
    'other kind in sentence': namesOtherKind(sentence, () => false, siteName),
    'in bracket': bracket !== null,
    'in bracket behind capital':
      bracket !== null && /\p{Lu}[\p{L}.-]+\s*$/u.test(written.slice(0, bracket.index)),
    'own and word before': words.some((word) => OWN.has(word)),
    'article and comma before':
      /,\s*$/.test(before) && words.some((word) => DETERMINERS.has(word) || /^[ld]$/.test(word)),
  });
}

/** The words of the segment before a name, in lower case, but the last, which may be a role. */
function wordsBefore(before: string): string[] {
  const segment = before.replace(SEGMENT_START, '').toLowerCase();
  const words = segment.match(/[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu) ?? [];
  return words.slice(-1 - MAX_WORDS, -1);
}

/** Whether a text has the name in the site's address, in any spelling: "Acme Works" at acmeworks.test. */
function namesHost(text: string, host: string): boolean {
  const [label = ''] = (registrableDomain(`https://${host}`) ?? host).split('.');
  const own = lettersOf(label);
  return own.length >= SHORTEST_HOST && lettersOf(text).includes(own);
}

function lettersOf(text: string): string {
  return plainLetters(text).replace(/[^\p{L}]+/gu, '');
}

/** The names of the signs that are true. */
export function chosen(signs: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(signs).filter((sign) => signs[sign]);
}
