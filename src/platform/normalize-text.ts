/**
 * More marks than this on one letter are no writing; Unicode's own bound for such runs is 30
 * (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format).
 */
const MAX_MARKS = 30;
/** Marks, and the four characters that become marks when they are decomposed (Thai and Lao AM, Katakana's voicing). */
const TOO_MANY_MARKS = /([\p{M}\u0E33\u0EB3\uFF9E\uFF9F]{30})[\p{M}\u0E33\u0EB3\uFF9E\uFF9F]+/gu;

/**
 * `text` in a normalization form, of each run of combining marks the first 30. The engine puts marks into order one by
 * one: a run of 80,000, which fits a short request, would take it a quarter of a minute.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  const bounded = text.length > MAX_MARKS ? text.replace(TOO_MANY_MARKS, '$1') : text;
  return bounded.normalize(form);
}
