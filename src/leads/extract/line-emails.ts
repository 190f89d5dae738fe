import { normalizeEmail } from './normalize-email.ts';
import { linkAround, type PageLine } from './page-lines.ts';
import { scanEmails } from './scan-emails.ts';
import { scanSpelledOut } from './spelled-out-email.ts';

const MAX_LENGTH = 1_000;
/** Signs and words that stand for the at sign. */
const MAY_SPELL =
  /[@＠﹫]|[[({<（［｛【«*_~|=-]\s?(?:[\p{L}*&-]{1,14})\s?[\])}>）］｝】»*_~|=-]|\s\p{L}{2,14}\s\S+(?:\.|\s\p{L}{3,6}\s)\p{L}{2,}/u;

/** The addresses that one line of a page shows, spells out or links. */
export function emailsOfLine({ text, elements }: PageLine): string[] {
  const short = text.slice(0, MAX_LENGTH);
  const found = short.includes('@') ? scanEmails(short).map(({ email }) => email) : [];
  const links = new Set(elements.map(linkAround).filter((link) => link !== null));
  for (const { attribs } of links) {
    const href = attribs['href']?.slice(0, MAX_LENGTH) ?? '';
    if (/^\s*mailto:/i.test(href)) found.push(normalizeEmail(href) ?? '');
  }
  const spelled = MAY_SPELL.test(short) ? scanSpelledOut(short) : [];
  return [...new Set([...found, ...spelled])].filter((email) => email !== '');
}
