/**
 * Marks, and the four characters that decompose into marks (Thai and Lao AM, Katakana voicing marks). No writing system
 * puts more than 30 on one letter; Unicode uses the same limit for such runs
 * (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format).
 */
const TOO_MANY_MARKS = /([\p{M}\u0E33\u0EB3\uFF9E\uFF9F]{30})[\p{M}\u0E33\u0EB3\uFF9E\uFF9F]+/gu;

/** Marks and characters that decompose into them are all in this range: a look that rules out nearly all texts. */
const MAYBE_TOO_MANY = /[\u0300-\uFFFF]{31}/;

/**
 * Normalizes `text` after cutting each run of combining marks to 30. The engine sorts marks one by one: a run of
 * 80,000, which fits a short request, would take 15 seconds.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  const bounded = MAYBE_TOO_MANY.test(text) ? text.replace(TOO_MANY_MARKS, '$1') : text;
  return bounded.normalize(form);
}
