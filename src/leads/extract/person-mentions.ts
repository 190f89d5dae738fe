import { emailsOfLine } from './line-emails.ts';
import {
  addressSigns,
  groupSigns,
  headingSigns,
  lineSigns,
  type NamePlace,
  nameSigns,
  pageSigns,
  pairedSigns,
  titleBeside,
} from './mention-signs.ts';
import { nameEvidence, withoutWordBefore } from './name-evidence.ts';
import { nameMatchesAddress } from './name-matches-address.ts';
import { blockAround, Places } from './name-places.ts';
import { type NameInText, namesInText } from './names-in-text.ts';
import { type PageLine, type PageLines, withBoundaries } from './page-lines.ts';
import { isAboutGuests, subjectOf } from './page-subject.ts';
import type { PageSource } from './page-source.ts';
import { personNameKey, readPersonName } from './person-name.ts';
import { sentenceAround } from './sentence-signs.ts';
import { severalNames } from './several-names.ts';
import { siteNameOf } from './site-name.ts';
import { DEAD } from './words-of-others.ts';

/** A name in a page, with what its place says for and against a person of the organisation. */
export interface Mention {
  name: string;
  key: string;
  /** The role beside it. */
  title: string | null;
  /** Names of what is true of the place; `person-weights.ts` weighs them. */
  signs: ReadonlySet<string>;
}

/** A page with more names than this is a directory. */
const MAX_MENTIONS = 400;
const LONGEST_LINE = 900;
/** Of text that is searched for names. */
const MOST_CHARACTERS = 200_000;
const HEADING = /^(?:h[1-6]|dt|th|caption|legend)$/;

/** The names on a page, in its order; none on pages of guests, alumni and the like. */
export function personMentions(page: PageLines, source: PageSource): Mention[] {
  if (isAboutGuests(source)) return [];
  const subject = subjectOf(source, page) ?? 'news';
  const host = URL.parse(source.url)?.hostname ?? '';
  const siteName = siteNameOf(source);
  const places = new Places();
  const found: (Omit<Mention, 'signs'> & { signs: Set<string>; place: string })[] = [];
  let heading = { text: '', at: -1 };
  let characters = 0;
  for (const [at, line] of page.lines.entries()) {
    const names = namesOf(line);
    const tag = blockAround(line.elements[0] ?? null)?.name ?? '';
    if (names.length === 0 && HEADING.test(tag)) heading = { text: line.text, at };
    characters += line.text.length;
    if (characters > MOST_CHARACTERS || found.length >= MAX_MENTIONS) break;
    if (names.length === 0) continue;
    const shared = [
      ...lineSigns(at, page, names),
      ...addressSigns(at, page, host),
      ...headingSigns(heading, at),
      `page: ${subject}`,
    ];
    const text = withBoundaries(line).slice(0, LONGEST_LINE);
    for (const [index, { name: written, from, to }] of names.entries()) {
      const name = withoutWordBefore(written);
      const place: NamePlace = { name, text, from, to, index, line, host, siteName };
      if (DEAD.test(sentenceAround(place))) continue;
      const signs = new Set([...shared, ...nameSigns(place)]);
      const title = titleBeside(place, at, page);
      const key = personNameKey(name);
      found.push({ name, key, title, signs, place: places.of(line.elements[0] ?? null) });
    }
  }
  const ofPage = pageSigns(source.url, new Set(found.map(({ key }) => key)).size);
  const emails = [...new Set(page.lines.flatMap(emailsOfLine))];
  for (const group of Map.groupBy(found, ({ place }) => place).values()) {
    const signs = groupSigns(group.map(({ name }) => name));
    for (const mention of group) {
      for (const sign of [...signs, ...ofPage]) mention.signs.add(sign);
      if (emails.some((email) => nameMatchesAddress(mention.name, email))) {
        mention.signs.add('fitting address on page');
      }
      for (const sign of pairedSigns(mention.signs, nameEvidence(mention.name), subject)) {
        mention.signs.add(sign);
      }
    }
  }
  return found.map(({ place: _, ...mention }) => mention);
}

/** All names of a line: it is one, or several and nothing else, or a text with names in it. */
function namesOf(line: PageLine): NameInText[] {
  const text = withBoundaries(line).slice(0, LONGEST_LINE);
  const whole = readPersonName(line.text);
  if (whole !== null)
    return [{ name: whole, from: Math.max(0, text.indexOf(whole)), to: text.length }];
  const inText = namesInText(text);
  const others = severalNames(line.text).filter((name) => inText.every((one) => one.name !== name));
  return [
    ...inText,
    ...others.map((name) => {
      const from = Math.max(0, text.indexOf(name.split(' ')[0] ?? ''));
      return { name, from, to: Math.min(text.length, from + name.length) };
    }),
  ];
}
