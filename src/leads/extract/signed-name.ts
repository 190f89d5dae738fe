import type { PageLines } from './page-lines.ts';
import { NO_NAME_WORDS } from './name-words.ts';
import { plainLetters } from './role-lexicon.ts';

const LONGEST_LINE = 160;
const LONGEST_NAME = 60;
const MAX_WORDS = 7;
const COPYRIGHT =
  /(?:©|\(c\)|\bcopyright\b)(?:\s|©|\(c\)|copyright|by|\d{4}|[-–,])*(\p{L}[^.|·•©\d]*(?:\.\p{L}[^|·•©\d]*)?)/iu;
const BEHIND_NAME =
  /\s*(?:[,;]|\s[–—-]\s|\ball rights|\balle rechte|\btous droits|\btodos los|\btutti i diritti|\bwszelkie|\balle rettigheder).*$/iu;
const LEGAL_FORM =
  /(?:[\s,](?:GmbH(?: & Co\.? KG)?|mbH|e\.\s?K\.|e\.\s?V\.|AG|KG|OHG|GbR|UG(?: \(haftungsbeschränkt\))?|Ltd\.?|Limited|LLC|LLP|Inc\.?|Corp\.?|Corporation|PLC|S\.?r\.?l\.?|S\.?p\.?A\.?|SARL|SAS|S\.L\.U?\.?|S\.A\.|B\.V\.|BV|N\.V\.|ApS|A\/S|AB|Oy|Sp\. z o\.\s?o\.|s\.r\.o\.|Kft\.?)|株式会社|有限公司)$/u;

/** The organisation that signs a page: in its copyright line, or a line with a name and legal form; else empty. */
export function signedNameOf({ lines }: PageLines): string {
  let legal = '';
  for (const { text, isForeign } of lines) {
    if (isForeign || text.length > LONGEST_LINE) continue;
    const holder = (COPYRIGHT.exec(text)?.[1] ?? '').replace(BEHIND_NAME, '').trim();
    if (isName(holder)) return holder;
    if (legal !== '') continue;
    const [head = ''] = text.split(/\s+[|·•–—-]\s+/u, 1);
    // "Acme, Inc." before "Acme Ltd, 1 Main Street"
    const heads = [head, head.split(/,\s/u, 1)[0] ?? ''];
    legal = heads.find(isLegalName) ?? (isNameOfPartners(text) ? text : '');
  }
  return legal;
}

function isLegalName(text: string): boolean {
  return /^[\p{Lu}\p{Lo}\d]/u.test(text) && LEGAL_FORM.test(text) && isName(text);
}

/** "Solicitors Doe · Miller · Smith LLP" */
function isNameOfPartners(text: string): boolean {
  const parts = text.split(' · ');
  const isOneWord = (part: string): boolean => /^\p{Lu}[\p{L}’'-]+$/u.test(part) && isName(part);
  return parts.length > 2 && isLegalName(text) && parts.slice(1, -1).every(isOneWord);
}

function isName(text: string): boolean {
  if (text.length < 2 || text.length > LONGEST_NAME || /[:@]/u.test(text)) return false;
  const words = text.split(/\s+/u);
  if (words.length > MAX_WORDS) return false;
  return words.some(
    (word) => !NO_NAME_WORDS.has(plainLetters(word).replace(/[^\p{L}\p{N}]+/gu, '')),
  );
}
