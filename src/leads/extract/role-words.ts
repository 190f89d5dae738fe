import {
  plainLetters,
  ROLE_ENDINGS,
  ROLE_PIECES,
  ROLE_WORDS,
  SURNAME_WORDS,
} from './role-lexicon.ts';

const LONGEST_ROLE = 90;
const MAX_WORDS = 12;
/** Shorter words with such an ending are names: Fischer and Becker are not chiefs. */
const SHORTEST_COMPOUND = 4;
/** The full stop of "stellv. Leiter" ends no sentence. */
const SENTENCE_END =
  /(?<=\p{Ll})(?<!(?<!\p{L})(?:[Ss]tellv|[Ss]tv|[Tt]echn|[Ww]iss|[Aa]sst|[Aa]ssoc|[Dd]ep|[Aa]dj))\.\s+\p{Lu}/u;
const HAS_UNSPACED = /[\u0590-\u07ff\u0900-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
/** What occurs in sentences, addresses and numbers, but not in names of positions. */
const NO_ROLE =
  /[!?@…]|:\/\/|\d{3}|(?<!\p{L})(?:is|are|was|has|have|he|she|we|you|your|our|with|who|when|ist|sind|hat|wir|unser\w*|nous|notre|nos|est|avec|nuestro\w*|nuestra\w*)(?!\p{L})/iu;

/** Whether a word names a position in one of the known languages. */
export function isRoleWord(word: string): boolean {
  const plain = plainLetters(word);
  if (ROLE_WORDS.has(plain)) return true;
  return ROLE_ENDINGS.some(
    (ending) => plain.length >= ending.length + SHORTEST_COMPOUND && plain.endsWith(ending),
  );
}

/** Whether a text contains the name of a position. */
export function hasRoleWord(text: string): boolean {
  if (HAS_UNSPACED.test(text) && ROLE_PIECES.some((piece) => text.includes(piece))) return true;
  const words = wordsOf(text);
  // "Jane Baker" is a name; "Baker" alone, "head baker" and "Baker at the old mill" are roles.
  return words.some((word, at) => isRoleWord(word) && (at === 0 || !isCapitalisedSurname(word)));
}

function isCapitalisedSurname(word: string): boolean {
  return /^\p{Lu}/u.test(word) && isSurname(word);
}

/** Whether the role is also a common surname. */
export function isSurname(word: string): boolean {
  return SURNAME_WORDS.has(plainLetters(word));
}

/** Whether a line is the name of a position ("Head of Sales", "Leiterin Einkauf", "営業部長"). */
export function isRoleLine(line: string): boolean {
  if (line.length < 2 || line.length > LONGEST_ROLE) return false;
  if (NO_ROLE.test(line)) return false;
  if (SENTENCE_END.test(line) || /\p{Ll}{3,}\.$/u.test(line)) return false;
  if (wordsOf(line).length > MAX_WORDS) return false;
  return hasRoleWord(line);
}

function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{M}]+(?:[-’'][\p{L}\p{M}]+)*/gu) ?? [];
  // "co-founder" is one word, but so is each side of "Founder-CEO".
  return words.flatMap((word) => (word.includes('-') ? [word, ...word.split('-')] : [word]));
}

const DEPARTMENTS = new Set(
  plainLetters(
    'sales marketing accounting finance operations it hr human resources people culture support customer success service services engineering ' +
      'legal administration admin office logistics purchasing procurement production quality research development product design communications ' +
      'vertrieb einkauf verkauf buchhaltung verwaltung personal technik lager versand werkstatt montage kundenservice kundendienst produktion ' +
      'forschung entwicklung empfang service innendienst aussendienst back-office comptabilite ventes achats ressources humaines logistique ' +
      'ventas compras contabilidad recursos humanos logistica vendite acquisti contabilita amministrazione risorse umane vendas compras ' +
      'verkoop inkoop boekhouding administratie sprzedaz ksiegowosc kadry forsaljning ekonomi inkop salg okonomi myynti talous prodej and und et y e en i og och ja & / der de',
  ).split(' '),
);

const BETWEEN_DEPARTMENTS = new Set('und et y e en i og och ja & / der de a and'.split(' '));

/** Whether a line, found where positions usually are, names a department ("Sales", "Forschung & Entwicklung"). */
export function isDepartmentLine(line: string): boolean {
  const words = plainLetters(line)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const named = words.filter((word) => !BETWEEN_DEPARTMENTS.has(word));
  return named.length > 0 && words.length <= 5 && named.every((word) => DEPARTMENTS.has(word));
}
