const NON_ASCII = /[^\0-\x7f]/;
/** Marks that are part of a letter elsewhere (й, が, vowels of Indic scripts) stay. */
const MARKS = /(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ё: 'е',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ى: 'ي',
};
const OTHER_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');
/** Vowel marks and the stroke that lengthens a word: nobody types them into a search box. */
const ARABIC_MARKS = /[\u0640\u064B-\u0652]/g;

/** A lower-case word as people type it who have not all its letters: without accents, `ß` as `ss`, `ё` as `е`. */
export function foldWord(word: string): string {
  if (!NON_ASCII.test(word)) return word;
  const plain = word.normalize('NFD').replace(MARKS, '').normalize('NFC');
  return plain
    .replace(OTHER_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .replace(ARABIC_MARKS, '');
}
