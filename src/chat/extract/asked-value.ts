import { stemWord } from '#src/documents/expand-word.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';
import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { NEAR_STEMS } from './everyday-words.ts';

/** The kind of value that a question asks for; English questions only. */
export interface AskedValue {
  /** The form of an amount: "£3.50" for the cost, "50 metres" for the length. */
  measure: Measure | null;
  /** "How much does it cost?": requires an amount, or a number next to the word. */
  isRequired: boolean;
  /** "How many seats are there?": stems of what a number must count; empty when nothing is counted. */
  counted: ReadonlySet<string>;
}

export type Measure =
  | 'money'
  | 'weight'
  | 'distance'
  | 'duration'
  | 'frequency'
  | 'phone'
  | 'version'
  | 'port'
  | 'year'
  | 'date'
  | 'number'
  | 'key';

export const NO_VALUE: AskedValue = {
  measure: null,
  isRequired: false,
  counted: new Set(),
};

/** Words that ask for an amount, and patterns of such an amount. */
const MEASURES: Readonly<
  Record<Measure, { words: ReadonlySet<string>; requires: RegExp; amount: RegExp }>
> = {
  money: {
    words: wordSet('cost costs price prices priced fee fees charge charges fare fares'),
    requires:
      /\bhow much\b(?=.{0,80}\b(?:costs?|pay|paid|prices?|fees?|charged?|earn|spend)\b)|\bhow much (?:is|are)\b|\bwhat (?:does|do|would|will)\b.{1,80}\bcosts?\b|\b(?:price|cost|fee|fare)s? (?:of|for)\b|\bin price\b|\b(?:dollar|euro) amounts?\b/iu,
    amount:
      /[£$€¥₹] ?\d+(?:[.,]\d+)*(?![\p{L}\d$])|\d[ \u00a0]?(?:[£$€¥₹](?![\p{L}\d])|(?:euros?|dollars?|pounds?|francs?|cents?|pence|usd|eur|gbp|chf|jpy)\b)|\b(?:is|are|be) free\b|\bfree (?:of charge|for)\b|\bfor free\b|\bno (?:charge|fee|cost)|\bcosts? nothing\b/iu,
  },
  weight: {
    words: wordSet('heavy weight weigh weighs'),
    requires: /\bhow heavy\b|\bhow much\b.{1,60}\bweigh/iu,
    amount: /\d[ \u00a0]?(?:kg|kilos?|kilograms?|g|grams?|tons?|tonnes?|lbs?|pounds?|stone)\b/iu,
  },
  distance: {
    words: wordSet('length tall high height deep depth wide width far distance'),
    requires:
      /\bhow (?:tall|high|deep|wide|far)\b(?! (?:ahead|along|apart|back|before|behind|in advance))/iu,
    amount:
      /\d[ \u00a0]?(?:mm|cm|m|km|met(?:er|re)s?|(?:kilo|centi|milli)met(?:er|re)s?|feet|foot|ft|inch(?:es)?|miles?|yards?)\b/iu,
  },
  duration: {
    words: wordSet('long duration'),
    requires:
      /\bhow long\b.{1,60}\btakes?\b|\bhow many (?:seconds|minutes|hours|days|weeks|months|years)\b|\bhow (?:far|long) (?:ahead|before|in advance)\b|\bhow much notice\b/iu,
    amount:
      /(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|half|an?))[ \u00a0-](?:\w+ )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|s|ms|min|h)\b|\bat once\b|\bimmediately\b|\binstantly\b|\bovernight\b|\bsame day\b|\b(?:seconds|minutes|hours|days|weeks|months|years)\b[)*_]*:\s*\d|^\|.*\b(?:seconds|minutes|hours|days|weeks|months|years)\b.*\|\s*\n(?:.*\n)*.*\d/iu,
  },
  frequency: {
    words: wordSet('often frequently frequency interval'),
    requires: /\bhow (?:often|frequently)\b/iu,
    amount:
      /\b(?:hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annual(?:ly)?|every|each|once|twice|times|periodically|regularly|continuously)\b|\b(?:per|an?) (?:second|minute|hour|day|night|week|month|quarter|year)\b|\bon(?: an?)? (?:on?going|regular)\b|\d[ \u00a0-]?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|s|ms|min|h)\b/iu,
  },
  phone: {
    words: wordSet('phone telephone fax'),
    requires: /\b(?:phone|telephone|fax) numbers?\b/iu,
    amount:
      /(?<![\p{L}\d/-])(?!\d{1,2}\/\d{1,2}\/\d|\d{4}-\d\d-\d\d)\+?\d[\d ()/-]{4,18}\d(?![\p{L}\d])|\bext(?:ension|\.)? ?\d/iu,
  },
  version: {
    words: wordSet('version versions'),
    requires: /\b(?:which|what) (?:[\w-]+ ){0,2}(?:version|release)\b|\bversion number\b/iu,
    amount: /(?<![\d.])\d+\.\d+|\b(?:version|release)s? [*_`]{0,2}[rv]?\d/iu,
  },
  port: {
    words: wordSet(''),
    requires: /\b(?:which|what) (?:[\w-]+ )?port\b|\bport number\b/iu,
    amount: /(?<![\d.])\d{2,5}(?![\d]|\.\d)/u,
  },
  year: {
    words: wordSet('year'),
    requires: /\b(?:which|what) year\b/iu,
    amount: /\b(?:1\d|20)\d\d\b/u,
  },
  date: {
    words: wordSet('date'),
    requires:
      /^\W*(?:and |so )?when (?:was|were|did)\b|\b(?:release|publication|launch|founding|start|end|birth|due|expiry|expiration) date\b|\bdate of\b/iu,
    amount:
      /\b(?:1\d|20)\d\d(?:s|\b)|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(?:January|February|March|April|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b|\b(?:\d{1,2}(?:st|nd|rd|th)?|[Ii]n|[Oo]n|[Ss]ince|[Uu]ntil|[Bb]y|[Oo]f) May\b|\bMay \d|\d(?:st|nd|rd|th) century\b|\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]\.?m\b|\b(?:yesterday|today|noon|midnight|ago|[Ii]n (?:spring|summer|autumn|winter))\b/u,
  },
  number: {
    words: wordSet(''),
    requires: /\b(?:room|account|extension|bank|customer|tax) number\b/iu,
    amount: /\d/u,
  },
  key: {
    words: wordSet('key keys shortcut shortcuts hotkey hotkeys keyboard'),
    requires:
      /\b(?:keyboard|key) (?:shortcuts?|combinations?|bindings?)\b|\bshortcuts? (?:for|to|of)\b|\bhot ?keys?\b|\bwith the keyboard\b/iu,
    amount:
      /\b(?:Ctrl|Control|Strg|Shift|Alt|AltGr|Cmd|Command|Option|Super|Meta)\b[*_`]{0,4} ?[+-] ?[*_`]{0,4}\S|\b(?:Tab|Esc|Escape|Enter|Return|Space|Delete|Backspace|Shift|Ctrl|Alt|F\d{1,2})\b[*_`]{0,4} key|\b(?:[Pp]ress|[Pp]ressing|[Kk]ey|[Hh]old|[Hh]olding)(?: down)?(?: the)? [*_`]{0,4}(?:Tab|Esc|Escape|Enter|Return|Space|Delete|Backspace|Shift|Ctrl|Alt|F\d{1,2}|[A-Z])\b|\*\*(?:[A-Z]|F\d{1,2})\*\*/u,
  },
};

/** Each half has its own kind of answer. */
const ASKS_TWICE = /\b(?:and|or) (?:what|how|when|who|where|which|why)\b/i;
const HOW_MANY =
  /(?<!\b(?:see|know|find out|tell|check|count|track|control|choose|decide) )\bhow many\s+(?:of (?:my|our|your|the|these|those)\s+)?((?:[\p{L}\p{N}_'’-]+\s*){1,4})/iu;
const AUXILIARY =
  /\b(?:do|does|did|is|are|was|were|can|could|may|might|must|shall|should|will|would|has|have|had)\b/i;
/** Units of amounts: they specify the kind of number, not what is counted. */
const UNITS = wordSet(
  'second seconds minute minutes hour hours day days week weeks month months year years euro euros dollar dollars ' +
    'pound pounds kilo kilos kilometre kilometres kilometer kilometers metre metres meter meters mile miles percent times',
);
const NUMERALS = wordSet(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen ' +
    'nineteen twenty thirty forty fifty sixty seventy eighty ninety dozen hundred thousand million billion single both ' +
    'zero no none unlimited',
);
const VAGUE = wordSet('one single both zero no none');
const STRESSES = wordSet('only just exactly most least than to maximum is has have');
/** Words that have a number as their name. */
const LABELLED = wordSet('table section chapter figure step version page part appendix example no');
const BEFORE_YEAR =
  /^(?:,|in|since|of|until|january|february|march|april|may|june|july|august|september|october|november|december)$/;
/** The counted noun follows the number within this many words. */
const WORDS_AFTER_NUMBER = 4;
const TOKENS = /\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|[^\s\p{L}\p{N}]/gu;

/** Kinds whose word may be anywhere in a question: "the length of the rope". A year is rarely what is asked for. */
const NAMED = [
  'money',
  'weight',
  'distance',
  'duration',
  'frequency',
  'phone',
  'version',
  'key',
] as const;
const REQUIRED = [...NAMED, 'port', 'year', 'date', 'number'] as const;

export function readAskedValue(text: string): AskedValue {
  if (ASKS_TWICE.test(text)) return NO_VALUE;
  const counted = HOW_MANY.exec(text)?.[1];
  const words = tokenizeWords(text);
  const required = REQUIRED.find((name) => MEASURES[name].requires.test(text)) ?? null;
  const named = NAMED.find((name) => words.some((word) => namesMeasure(word, name)));
  return {
    measure: required ?? named ?? null,
    isRequired: required !== null,
    counted: counted === undefined ? new Set() : countedStems(counted, AUXILIARY.test(text)),
  };
}

/**
 * The words after "how many", up to the next grammar word, and their near synonyms. Without an auxiliary the verb is
 * among them ("how many people use …"), and only the first word is certainly a noun.
 */
function countedStems(words: string, hasAuxiliary: boolean): Set<string> {
  const all = words.trim().split(/\s+/);
  const end = all.findIndex((word) => FUNCTION_WORDS.has(word.toLowerCase()));
  const stems = all
    .slice(0, hasAuxiliary ? (end === -1 ? all.length : end) : 1)
    .flatMap(tokenizeWords)
    .map(stemWord);
  return new Set(stems.flatMap((stem) => [stem, ...(NEAR_STEMS.get(stem) ?? [])]));
}

/** Whether a word after "how many" is the unit of the answer. */
export function isUnit(word: string): boolean {
  return UNITS.has(word);
}

/** Whether a word asks for this kind of amount. */
export function namesMeasure(word: string, measure: Measure): boolean {
  return MEASURES[measure].words.has(word);
}

export function holdsAmount(text: string, measure: Measure): boolean {
  return MEASURES[measure].amount.test(text);
}

/**
 * Whether a number in a unit counts what was asked for, or nothing named in particular: in the cell of a table, at the
 * end of a sentence. "Showers run for four minutes" has no number of showers.
 */
export function countsAsked(
  text: string,
  counted: ReadonlySet<string>,
  speaksOfIt: boolean,
): boolean {
  const tokens = text.toLowerCase().match(TOKENS) ?? [];
  return tokens.some((token, index) => {
    if (!/^\p{N}/u.test(token) && !isNumeral(token)) return false;
    // "One" is an article unless stressed: "only one", "at most one".
    if (token === 'one' && !STRESSES.has(tokens[index - 1] ?? '')) return false;
    const after = tokens.slice(index + 1, index + 1 + WORDS_AFTER_NUMBER);
    const end = after.findIndex((word) => !/^[\p{L}\p{N}*_`]/u.test(word));
    const words = end === -1 ? after : after.slice(0, end);
    const [next] = words;
    if (next === undefined || FUNCTION_WORDS.has(next)) {
      return speaksOfIt && isCount(token, tokens[index - 1], after[0]);
    }
    const named = words.slice(0, words.findIndex((word) => FUNCTION_WORDS.has(word)) >>> 0);
    return named.flatMap(tokenizeWords).some((word) => counted.has(stemWord(word)));
  });
}

/** `seven`, `thirty-eight`. */
function isNumeral(token: string): boolean {
  return token.split('-').every((part) => NUMERALS.has(part));
}

/** Where the number counts nothing named: not "any one of them", "Table 8.1" or "400: …". */
function isCount(token: string, before: string | undefined, after: string | undefined): boolean {
  if (VAGUE.has(token) || /^\d+[.:]\d/.test(token) || isYear(token, before)) return false;
  if (after !== undefined && !/^[\p{L};,.|)]/u.test(after)) return false;
  return !LABELLED.has(before ?? '');
}

/** `in 1998`, `June 5, 1998`. */
function isYear(token: string, before: string | undefined): boolean {
  return /^(?:1[5-9]|20)\d\d$/.test(token) && BEFORE_YEAR.test(before ?? '');
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
