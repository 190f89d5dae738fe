const NON_ASCII = /[^\0-\x7f]/;
/**
 * A version or another number with dots; a letter with `++` or `#`, and the year of a standard after it; .NET, and names
 * such as Node.js and ASP.NET.
 */
const SPECIAL =
  /(?<![\p{L}\p{N}.])[vV]?(?<version>\d{1,9}(?:\.\d{1,9}){1,5})(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?<symbol>[A-Za-z](?:\+\+|#))(?<year>\d{1,4})?(?![\p{L}\p{N}+#])|(?<![\p{L}\p{N}_-])(?<name>[A-Za-z]{0,20})\.(?<end>NET|Net|net|JS|js)(?![\p{L}\p{N}])/gu;
/** An emoji, alone or joined to others, with its skin colour; a flag. */
const EMOJI =
  /(?![©®™])\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}){0,2}(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}){0,2}){0,6}|\p{Regional_Indicator}{2}/gu;
/** What decides how an emoji looks, not what it shows. */
const LOOKS = /\uFE0F|\p{Emoji_Modifier}/gu;
/** What each match of `SPECIAL` has, within so many units of its start and of its end. */
const SIGN = /[+#]|\.[\dnNjJ]/g;
const MAX_BEFORE_SIGN = 24;
const MAX_AFTER_SIGN = 16;
/** Most texts have none; this is a look at each character. */
const MAYBE_EMOJI = /[\u2190-\u27BF\u2B00-\u2BFF\uD83C-\uD83E]/;

/** Letters that are names of languages both alone and with a symbol. */
const BARE_LETTERS = 'cfq';

export interface SpecialWord {
  words: string[];
  /** Where it stands in the text. */
  index: number;
  end: number;
  /** A letter with a symbol: the letter does not stand alone. */
  isSymbol: boolean;
}

/**
 * Words that letters and digits alone do not tell apart: `2.14.3` → 2.14.3, 2.14, so that both find it and `3.14.2` is
 * another one; `C++` → c++; `C++20` → c++20, c++; `.NET` → dotnet; `Node.js` → nodejs; 🎉 → 🎉. In order.
 */
export function specialWords(text: string): SpecialWord[] {
  const found = matchNearSigns(text);
  if (!NON_ASCII.test(text) || !MAYBE_EMOJI.test(text)) return found;
  const emoji = Array.from(text.matchAll(EMOJI), ({ 0: whole, index }) => ({
    index,
    end: index + whole.length,
    words: [whole.replace(LOOKS, '')],
    isSymbol: false,
  }));
  return [...found, ...emoji].sort((a, b) => a.index - b.index);
}

/** The special words of a text and what stands between them, in order. `example.net` looks like one, and is none. */
export function splitAtSpecials(text: string): (SpecialWord | string)[] {
  const pieces: (SpecialWord | string)[] = [];
  let from = 0;
  for (const special of specialWords(text)) {
    if (special.words.length === 0) continue;
    pieces.push(text.slice(from, special.index), special);
    from = special.end;
  }
  return [...pieces, text.slice(from)];
}

/** `C` → what only the letter by itself is indexed as, so that it ranks before `C++`; null for most words. */
export function bareLetter(word: string): string | null {
  return word.length === 1 && BARE_LETTERS.includes(word) ? `${word} alone` : null;
}

/**
 * The matches of `SPECIAL`, which is slow, are looked for around the signs only. No match begins so early or ends so
 * late that it meets the edge of what is cut out, or what stands next to that.
 */
function matchNearSigns(text: string): SpecialWord[] {
  const found: SpecialWord[] = [];
  SIGN.lastIndex = 0;
  for (let sign = SIGN.exec(text); sign !== null;) {
    const from = Math.max(0, sign.index - MAX_BEFORE_SIGN);
    let to = sign.index;
    for (; sign !== null && sign.index - to <= MAX_BEFORE_SIGN + MAX_AFTER_SIGN;) {
      to = sign.index;
      sign = SIGN.exec(text);
    }
    const near = text.slice(from, to + MAX_AFTER_SIGN);
    for (const match of near.matchAll(SPECIAL)) found.push(toSpecial(match, from));
  }
  return found;
}

function toSpecial(
  { 0: whole, index: at, groups = {} }: RegExpExecArray,
  from: number,
): SpecialWord {
  const { version, symbol, year, name = '', end = '' } = groups;
  const index = from + at;
  const place = { index, end: index + whole.length, isSymbol: symbol !== undefined };
  if (version !== undefined) return { ...place, words: versionWords(version) };
  if (symbol === undefined) return { ...place, words: dottedWords(name, end) };
  const letter = symbol.toLowerCase();
  return { ...place, words: year === undefined ? [letter] : [letter + year, letter] };
}

function versionWords(number: string): string[] {
  const parts = number.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, parts.length - at).join('.'));
}

/** `example.net` is an address, `ASP.NET` is not. */
function dottedWords(name: string, end: string): string[] {
  const isNet = end.toLowerCase() === 'net';
  if (isNet && name !== '' && end !== 'NET') return [];
  const whole = name === '' ? [] : [`${name}${end}`.toLowerCase()];
  return isNet ? [...whole, 'dotnet'] : whole;
}
