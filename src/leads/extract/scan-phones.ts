import { withExtension } from './extensions.ts';
import { normalizePhone } from './normalize-phone.ts';
import { labelBefore } from './phone-labels.ts';
import { isOtherNumber } from './not-a-phone.ts';

export interface FoundPhone {
  phone: string;
  /** As written. */
  written: string;
  /** Whether a label such as "Tel." precedes it. */
  isLabelled: boolean;
  /** Offset in the text. */
  at: number;
}

/** A number that ends with an extension: what follows it is another one. */
const HAS_DESK = /[-–/][ \u00A0]?\p{Nd}{1,4}[ \u00A0]*$/u;
/** Limit on calls of libphonenumber per page. */
const MAX_CANDIDATES = 1_000;
const MIN_DIGITS = 6;
const MAX_DIGITS = 18;
const LEAST_WITHOUT_LABEL = 7;
const MAX_RUN_LENGTH = 60;
/** With a plus and this many digits, a number need not be an assigned one. */
const LEAST_WITH_COUNTRY = 10;
const RUN_CHARACTER = /[\p{Nd}+＋()（）./ \t\u00A0\u2007\u2009\u202F\u2010-\u2015\u2212-]/u;
const STARTS = /[\p{Nd}+＋(（]/u;
const DIGITS = /\p{Nd}/gu;
/** Length of the text examined before and after a number. */
const CONTEXT = 60;
/** The start of another number: after a comma, a slash between spaces, or with a plus; or of hours in brackets. */
const NEXT_NUMBER =
  / {2,}(?=[+\d(])|[.;]? (?=\(\d{2,5}\) ?\d)|\t+| [/–—|-] (?=[+\d(])| (?=\((?:1?\d|2[0-4])(?:[.:]\d{2})? ?[-–—] ?(?:1?\d|2[0-4])(?:[.:]\d{2})?(?:[ )]|$))|(?<=\d) ?(?=\+)/u;
const LONGEST_BETWEEN = 40;
/** "020 7946 0124 (Jane) and 020 7946 0125 (John)" */
const NOTE_BEHIND = /^\)?[ \t]{0,2}\([^()\d]{2,24}\)/u;
/** The text between two numbers under the same label. */
const LIST_SEPARATOR =
  /^[ \t,;/|&–-]{0,4}(?:(?:or|oder|und|and|ou|et|o|y|e|i|a|en|of|og|och|eller|ja|tai|lub|nebo|alebo|és|vagy|și|sau|ve|veya|или|и|または) ?)?$/iu;

/**
 * Phone numbers in text, in linear time. A number after a label need only be possible; any other must be valid and
 * look like a phone number. Leaves out numbers after a fax label.
 */
export function scanPhones(text: string, region: string | null): FoundPhone[] {
  const found: FoundPhone[] = [];
  let asked = 0;
  let last: Introduced = { end: -1, label: null, digits: 0, written: '' };
  for (const { start, end } of digitRuns(text)) {
    for (const part of numbersIn(text.slice(start, end), start)) {
      if (asked >= MAX_CANDIDATES) return found;
      asked += 1;
      const { start: at, written } = part;
      const before = text.slice(Math.max(0, at - CONTEXT), at);
      const end = at + written.length;
      const digits = written.match(DIGITS)?.length ?? 0;
      const after = text.slice(end, end + 20);
      const between = text.slice(last.end, at);
      const areaCode = areaCodeBefore(between, last, digits);
      const isListed = areaCode !== '' || continuesList(between, last, digits);
      const label = labelBehind(after) ?? labelBefore(before) ?? (isListed ? last.label : null);
      last = { end, label, digits, written: areaCode + written };
      if (label === 'fax' || OPEN_END.test(after)) continue;
      if (label !== 'phone' && digits < LEAST_WITHOUT_LABEL) continue;
      const context = { before, after };
      if (isOtherNumber(part.written, context, label === 'phone', region)) continue;
      const isSure =
        label === 'phone' || (/^[(（]?[+＋]/.test(written) && digits >= LEAST_WITH_COUNTRY);
      const number = normalizePhone(areaCode + written, region, isSure ? 'marked' : 'text');
      if (number !== null) {
        const phone = withExtension(number, part.written, after);
        found.push({ phone, written: part.written, isLabelled: label === 'phone', at });
      }
    }
  }
  return found;
}

/** "(040) 12345-." and "040 12345-xx": the beginning of all numbers of a house, to which an extension is added. */
const OPEN_END = /^[-–](?:[.…]{0,3}(?=[\s,;)]|$)|x{1,4}(?!\p{L}))/iu;

interface Introduced {
  end: number;
  label: 'phone' | 'fax' | null;
  digits: number;
  written: string;
}

/** The area code in brackets that a number shares with the one before: "(477) 155-0142 y 155-0143". */
function areaCodeBefore(between: string, last: Introduced, digits: number): string {
  if (last.end === -1 || last.label === null || !LIST_SEPARATOR.test(between)) return '';
  const [, code = '', local = ''] = /^(\(\d{2,5}\)\s?)([\d .-]+)$/u.exec(last.written) ?? [];
  return local.match(DIGITS)?.length === digits ? code : '';
}

/** Whether the label of the previous number also applies to this one: about as long, with only a separator between. */
function continuesList(between: string, last: Introduced, digits: number): boolean {
  if (last.end === -1 || between.length > LONGEST_BETWEEN) return false;
  return digits >= last.digits - 2 && LIST_SEPARATOR.test(between.replace(NOTE_BEHIND, ''));
}

/** "020 7946 0124 Fax", unless the label belongs to a number behind it. */
const FAX_BEHIND = /^[ \t]{1,3}(?:tele)?(?:fax|faks)(?![\p{L}\s.:]*[+(\d])/iu;

/** "020 7946 0124 (fax)", unlike "020 7946 0124 (fax 020 7946 0129)". */
const FAX_IN_BRACKET = /^[ \t]{0,3}[([](?:tele)?(?:fax|faks|факс)(?![\p{L}\s.:]{0,10}[+(\d])/iu;

function labelBehind(after: string): 'fax' | null {
  if (FAX_IN_BRACKET.test(after)) return 'fax';
  return FAX_BEHIND.test(after) ? 'fax' : null;
}

/** Sequences of digits and of the separators used in phone numbers. */
function* digitRuns(text: string): Generator<{ start: number; end: number }> {
  let at = 0;
  while (at < text.length) {
    if (!isDigitOrOpening(text, at)) {
      at += 1;
      continue;
    }
    const start = at;
    while (at < text.length && RUN_CHARACTER.test(text[at] ?? '')) at += 1;
    yield { start, end: at };
  }
}

function isDigitOrOpening(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return (code >= 48 && code <= 57) || code === 43 || code === 40;
  return code >= 0x660 && STARTS.test(text[at] ?? '');
}

/** The possible numbers in a sequence: trimmed, each with at most as many digits as a number can have. */
function* numbersIn(run: string, offset: number): Generator<{ start: number; written: string }> {
  // Tables of figures or dotted lines: no phone numbers among them.
  if (run.length > 10 * MAX_RUN_LENGTH) return;
  let from = 0;
  for (const { text, at } of pieces(run)) {
    from = at;
    const lead = /^[^\p{Nd}+＋(（]*/u.exec(text)?.[0].length ?? 0;
    let written = text.slice(lead).replace(/[^\p{Nd})）]+$/u, '');
    if (written.startsWith('(') && !/[)）]/.test(written)) written = written.slice(1);
    else if (!/[(（]/.test(written)) written = written.replace(/[)）]+$/, '');
    const digits = written.match(DIGITS)?.length ?? 0;
    if (digits < MIN_DIGITS || digits > MAX_DIGITS || written.length > MAX_RUN_LENGTH) continue;
    const inside = text.indexOf(written);
    yield { start: offset + from + inside, written };
  }
}

/** Splits where another number begins, unless a part would be too short. */
function* pieces(run: string): Generator<{ text: string; at: number }> {
  let from = 0;
  let at = 0;
  while (at < run.length) {
    const separator = NEXT_NUMBER.exec(run.slice(at));
    if (!separator) break;
    const cut = at + separator.index;
    at = cut + Math.max(1, separator[0].length);
    const before = run.slice(from, cut);
    const isWhole = (before.match(DIGITS)?.length ?? 0) >= MIN_DIGITS + 1;
    // A dash or a slash and a few digits are an extension in the same organisation.
    const isDesk =
      (/[-–—]/.test(separator[0]) || (separator[0].includes('/') && !HAS_DESK.test(before))) &&
      (run.slice(at).match(DIGITS)?.length ?? 0) < MIN_DIGITS;
    const isCell = separator[0].startsWith('\t');
    // A postal code before an area code in brackets.
    const isPostalCode = run[at] === '(' && /^\D*\d{5}(?:-\d{4})?$/.test(before);
    if (!isCell && !isPostalCode && (!isWhole || isDesk)) continue;
    yield { text: before, at: from };
    from = cut + separator[0].length;
  }
  yield { text: run.slice(from), at: from };
}
