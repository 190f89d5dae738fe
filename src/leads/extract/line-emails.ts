import { normalizeEmail } from './normalize-email.ts';
import { linkAround, type PageLine } from './page-lines.ts';
import { scanEmails } from './scan-emails.ts';
import { scanSpelledOut } from './spelled-out-email.ts';

const MAX_LENGTH = 1_000;
const MAX_SPELLED = 5;
/** Every spelled-out address contains one of these. */
const MAY_SPELL =
  /[＠﹫@[({<（［｛【«*_~|=]|\s(?:dot|punkt|point|punto|ponto|punt|kropka|te[čc]ka|piste|nokta)\s/iu;

const known = new WeakMap<PageLine, readonly string[]>();

/** The addresses that one line of a page shows, spells out or links to. */
export function emailsOfLine(line: PageLine): readonly string[] {
  const before = known.get(line);
  if (before) return before;
  const emails = read(line);
  known.set(line, emails);
  return emails;
}

function read({ text, elements }: PageLine): string[] {
  const short = text.slice(0, MAX_LENGTH);
  const found = short.includes('@') ? scanEmails(short).map(({ email }) => email) : [];
  const links = new Set(elements.map(linkAround).filter((link) => link !== null));
  for (const { attribs } of links) {
    const href = attribs['href']?.slice(0, MAX_LENGTH) ?? '';
    if (/^\s*mailto:/i.test(href)) found.push(normalizeEmail(href) ?? '');
  }
  const spelled = MAY_SPELL.test(short) ? scanSpelledOut(short, { most: MAX_SPELLED }) : [];
  return [...new Set([...found, ...spelled])].filter((email) => email !== '');
}
