import { namesInText } from './names-in-text.ts';
import { isTitleBefore } from './name-titles.ts';
import { isRoleLine, isRoleWord, isSurname } from './role-words.ts';

/** The role that a text states for a name next to it. */
export interface StatedRole {
  title: string;
  /** A colon stands between: the names that follow have the same role. */
  isLabel: boolean;
  /** Role and name are a statement by themselves: a label, "Case officer is Jane Doe", "Jane Doe, chef". */
  isStatement: boolean;
  /** "our", "notre": the organisation speaks of its own people. */
  isOwn: boolean;
}

/** "our two caretakers" */
const COUNT =
  /^(?:two|three|both|zwei|drei|beiden|deux|trois|dos|tres|dois|duas|três|due|tre|twee|drie|två|dwie|dwaj|trzy|dva|dvě|tři|két|három|doi|două)\s/iu;
/** Of office. */
const TERM = /\s\(?(?:19|20)\d\d(?:[–/-]\d{2,4})?\)?(?=\s|$)/gu;
const MAX_WORDS_BETWEEN = 4;
const MAX_WORDS_BEFORE = 4;
/** "Our", by language. */
export const OWN = new Set(
  'our unser unsere unserem unserer unseren notre nos nuestro nuestra nuestros nuestras nostro nostra nostri nosso nossa onze ons vår vårt våra vores nasz nasza náš naše meidän'.split(
    ' ',
  ),
);
/** Articles and words for "your" and "our". */
export const DETERMINERS = new Set([
  ...OWN,
  ...'the a an your der die das den dem ein eine einen einem le la les un une votre el los las il lo i gli o os as um uma de het een az ο η οι του της την τη τον'.split(
    ' ',
  ),
]);
const COPULA =
  'is|are|ist|sind|est|sont|es|son|è|sono|é|são|zijn|jest|są|to|je|jsou|sú|är|er|on|ovat|este|sunt|είναι';
const LINK = new RegExp(
  `(?:\\s*(?<label>:)|\\s*(?<comma>,)|\\s+(?<dash>[–—-])|\\s+(?<copula>${COPULA}))?\\s*$`,
  'iu',
);
const CLAUSE_START = /^.*(?:[,;:.()!?„“”"«»|•·]|(?<!\d)[–—])\s*/u;
export const SALUTATION =
  /(?<=^|\s)(?:mrs?|ms|miss|herrn?|frau|m|mme|mlle|madame|monsieur|sra?|d|dª|d\.ª|dña|don|doña|sig|sig\.ra|signora?|dhr|mevr|mevrouw|pani?|sayın)\.?\s*$/iu;
/** "př." and "cand.mag." before a name. */
const ABBREVIATION = /(?<=^|\s)(?:\p{L}{1,6}\.)+\s*$/u;
const OF =
  /^(?:of|for|de|del|der|des|die|du|di|do|da|van|för|für|for|af|av|dla|ds|pro|pour|para|per)$/iu;
const GENITIVE = /^(?:of|by|de|di|da|do|von|durch|van|par|af|av)$/iu;
const BEHIND =
  /^\s*(?:,|\(|–|—|\s-)\s*([^,;:()–—]{2,70}?)\s*(?:[,;:()–—.]|\s(?:at|on|via|under|unter|per|à|na|på|is|can|am|au|al)\s|\S+@|[+(]?\d|$)/u;
/** "with Jane Doe as secretary" */
const AS_BEHIND =
  /^\s+(?:as|als|som|comme|como|come|jako|ca|kao|mint)\s+([^,;:.()–—]{3,50}?)\s*(?:[,;:.()–—]|\s(?:and|und|et|y|e|en|och|og|ja|i|a)\s|$)/iu;
const COPULA_BEHIND = new RegExp(
  `^\\s+(?:(?:en|y|ne)\\s+)?(?:${COPULA})\\s+([^,;:.()–—]{2,70}?)\\s*(?:[,;:.()–—]|\\s(?:and|und|et|y|e|en|och|og|ja|i|a)\\s|$)`,
  'iu',
);
/** "and Jane Doe the secretary" */
const ARTICLE_BEHIND =
  /^\s+((?:the|le|la|il|lo|el|der|die|das)\s[^,;:.()–—]{3,50}?)\s*(?:[,;:.()–—]|$)/iu;

/** The role that ends right before a name: "Chair:", "the chair,", "Case officer is", "co-owner". */
export function roleBefore(before: string): StatedRole | null {
  const text = withoutTitles(before);
  const link = LINK.exec(text);
  const { label, comma, dash, copula } = link?.groups ?? {};
  const clause = text.slice(0, link?.index ?? text.length).replace(CLAUSE_START, '');
  const words = clause.split(/\s+/).filter((word) => word !== '');
  const at = words.findLastIndex(isRole);
  const isLabel = label !== undefined;
  const isLinked = isLabel || copula !== undefined;
  if (at === -1 || !mayStandBetween(words.slice(at + 1), at, isLinked)) return null;
  const determiner = words.findLastIndex(
    (word, index) => index < at && DETERMINERS.has(plainWord(word)),
  );
  const isNearby = determiner !== -1 && at - determiner <= MAX_WORDS_BEFORE;
  if ((comma ?? dash) !== undefined && !isNearby) return null;
  // "the speech of the delegate, Jane Doe"
  if (isNearby && GENITIVE.test(words[determiner - 1] ?? '')) return null;
  const isWhole = at <= MAX_WORDS_BEFORE && (isLabel || words.slice(0, at).every(isAttribute));
  const first = isNearby ? determiner + 1 : isWhole ? 0 : at;
  const title = words.slice(first).join(' ').replace(COUNT, '').replace(TERM, '');
  if (!isRoleLine(title)) return null;
  const isOwn = isNearby && OWN.has(plainWord(words[determiner] ?? ''));
  return { title, isLabel, isStatement: isLinked && (isLabel || isWhole || isNearby), isOwn };
}

/** Whether these words may follow a role in front of a name: "secretary of the board is", but not "chair thanks". */
function mayStandBetween(between: readonly string[], at: number, isLinked: boolean): boolean {
  if (between.length > MAX_WORDS_BETWEEN) return false;
  const [first = '', ...more] = between;
  if (isLinked || first === '') return true;
  // "Facharzt für Innere Medizin"
  if (OF.test(between.at(-1) ?? '')) return false;
  // "předseda výboru" before a name; in languages with articles the role would not begin the clause.
  const isGenitive = at === 0 && more.length === 0 && /^\p{Ll}/u.test(first);
  return isGenitive || OF.test(first);
}

/** A text that a name follows, without the titles and forms of address before the name. */
export function withoutTitles(before: string): string {
  return before.replace(SALUTATION, '').replace(ABBREVIATION, (written) => {
    const parts = written.trim().split('.');
    const isTitle = (part: string): boolean => isTitleBefore(part) || /^\p{Ll}{1,5}$/u.test(part);
    return parts.every((part) => part === '' || isTitle(part)) ? '' : written;
  });
}

/** The role that begins right behind a name: ", export manager", "(chair)", "is chair of the board". */
export function roleBehind(after: string): StatedRole | null {
  const [written] = [BEHIND, COPULA_BEHIND, AS_BEHIND, ARTICLE_BEHIND].flatMap(
    (behind) => behind.exec(after)?.[1] ?? [],
  );
  if (written === undefined) return null;
  const words = written.split(/\s+/);
  const first = words.findIndex((word) => !DETERMINERS.has(plainWord(word)));
  const own = words.slice(Math.max(0, first));
  const at = own.findIndex(isRole);
  const title = own.join(' ');
  if (at === -1 || at >= MAX_WORDS_BEFORE || !isRoleLine(title)) return null;
  // "City of Acme (mayor Jane Doe)"
  if (namesInText(title).length > 0) return null;
  const isOwn = words.slice(0, Math.max(0, first)).some((word) => OWN.has(plainWord(word)));
  return { title, isLabel: false, isStatement: false, isOwn };
}

/** A word within a text; "Jane Baker" has no role in it, "baker" and "Baker:" have. */
function isRole(word: string, at: number): boolean {
  const plain = word.replace(/[^\p{L}\p{M}’'-]+/gu, '');
  const isName = isSurname(plain) && /^\p{Lu}/u.test(plain) && at > 0;
  return plain !== '' && !isName && [plain, ...plain.split('-')].some(isRoleWord);
}

/** A capitalised or ordinal word at the start of a role: "Deputy Finance Officer", "2. Vorsitzender". */
function isAttribute(word: string): boolean {
  return /^(?:\p{Lu}|\d)/u.test(word) || OF.test(word);
}

function plainWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{M}]+/gu, '');
}
