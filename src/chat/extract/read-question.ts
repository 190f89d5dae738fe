import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { isUnspaced, stemWord } from '#src/documents/expand-word.ts';
import { tokenizeWords, WORD_PATTERN } from '#src/documents/tokenize.ts';
import { type AskedValue, isUnit, NO_VALUE, readAskedValue } from './asked-value.ts';
import { ASKING_WORDS, CONTRACTED_WORDS, OTHER_LANGUAGES, stemDistinct } from './everyday-words.ts';
import { findPhrasalVerbs } from './phrasal-verbs.ts';
import { ungroupNumbers } from './ungroup-numbers.ts';

/** A word that an answer should speak of. */
export interface AskedTerm {
  /** Lower case, as typed. */
  word: string;
  stem: string;
  /** The stem under which the index counts it. */
  counted: string;
  /** The parts of an identifier such as `maxRetries`; empty otherwise. */
  parts: readonly string[];
  /** With the previous and the next word, written as one: `roll back` is `rollback` elsewhere. */
  joined: readonly string[];
  /** Stems of verbs that mean the same as this one with its particle: "release" for "come out". */
  phrasal: readonly string[];
  /** 0 to 1: its significance before anything is known of the documents. */
  prior: number;
  /** Says how something is asked, not what about. */
  isAsking: boolean;
  /** The requested action: it helps to choose the best passage more than to decide whether there is one. */
  isVerb: boolean;
  /** `who [keeps] the key`: a text may say it otherwise ("held by"). */
  isPredicate: boolean;
  /** A name, a number or an identifier, which nothing else can match. */
  isName: boolean;
  /** Whether it is a capitalized word: part of a name in which nothing may be missing. */
  isCapitalized: boolean;
  /** Whether the next term is the next word of the question: "keyboard" of "keyboard shortcut". */
  isBesideNext: boolean;
  /** From the previous question. */
  isInherited: boolean;
}

export type QuestionKind =
  | 'definition'
  | 'abbreviation'
  | 'instruction'
  | 'quantity'
  | 'person'
  | 'other';

export interface Question {
  kind: QuestionKind;
  terms: readonly AskedTerm[];
  /** Its numbers as written but for commas: `20`, `1.0`, `1500`. */
  numbers: readonly string[];
  value: AskedValue;
  /** Asks for the best of something or what is recommended. */
  asksAdvice: boolean;
  isEnglish: boolean;
}

/** A longer question does not ask for one of them. */
const MAX_NUMBERS = 5;
/** Standing alone, not as part of a name such as `S2`. */
const NUMBERS = /(?<![\p{L}\p{N}_.,-])\d{1,30}(?:[.,:]\d{1,30}){0,8}(?![\p{L}\p{N}_-])/gu;
const DOTTED = /(?<![\p{L}\p{N}_.,-])\d{1,30}(?:\.\d{1,30}){1,8}(?![\p{L}\p{N}_-])/gu;
const PRIOR_OF_ASKING = 0.2;
/** From the previous question, when this one depends on it. */
const PRIOR_OF_EARLIER = 0.7;
/** With more terms it is not a question but pasted text. */
const MAX_TERMS = 60;

const AUXILIARIES = new Set('do does did can could should would may might must to'.split(' '));
const SUBJECTS = new Set('i we you he she they people somebody someone'.split(' '));
/** "To [unused] days" is no infinitive. */
const PARTICIPLE = /^(?!embed).{3,}[^e]ed$/;
const FRONTED = new Set('what which how when where why who whom whose'.split(' '));
/** "When" asks for a time only at the front: elsewhere it mostly begins a condition. */
const QUANTITY =
  /\b(?:how (?:many|much|long|often|old|tall|high|far|big|large|fast|late|early|soon|deep|wide|heavy)|(?<=(?:^|[.!?])\W*(?:(?:and|so|since|until|by|from) )?)when|what (?:time|year|date|day|age|size|percentage|number)|(?:what|which) port|wann|wie (?:viele?|lange|oft|alt|hoch|gro(?:ß|ss)|weit)|combien|quand|cuánt[oa]s?|cuándo|quanto|quando|hoeveel|wanneer)\b/i;
const INSTRUCTION =
  /\b(?:how (?:do|does|can|could|should|would|to|must|might)|how['’]d|steps? to|(?:a|the|best) way to|what (?:do|must|should) (?:i|we|you) do|wie (?:kann|muss|soll|mache?|geht)|comment|cómo)\b/i;
const DEFINITION =
  /\S (?:meaning|definition)\W*$|^\W*(?:(?:and |so )?what(?:['’]?s| is| are| was| were)|define|explain|meaning of|what does .{1,80} (?:mean|do|stand for)\b|was (?:ist|sind|bedeutet)|qu['’]est-ce|qué es)(?=\W)/i;
/** Asks for the words that an abbreviation is made of, which need not be near these words. */
const SPELL_OUT =
  /\bstands? for\b|\b(?:abbreviation|acronym|short|initials) (?:of|for)\b|\bis .{1,40} (?:short|an? (?:abbreviation|acronym)) (?:of|for)\b/i;
const OF_SPELLING = new Set(
  'stand stands name word abbreviation acronym short letters initials'.split(' '),
);
const PERSON = /^\W*(?:and )?(?:who|whom|whose|wer|wem|wen|qui|quién|quem|wie is)\b/i;
/** Words of a definition that ask for a fact about something instead of what it is. */
const ASKS_FACT = /\b(?:default|maximum|minimum|limit|name|price|cost|difference|best|value of)\b/i;

/** `What is the rate for …`, unless the word itself is to be explained. */
const ASKS_FACT_ABOUT =
  /^\W*(?:(?:and|so) )?what(?:['’]?s| is| are| was| were) the (?!(?:meaning|definition|purpose)s? )[\p{L}\p{N}_$ -]{1,40}? (?:on|for|of|in|per) /iu;
/** `Chart of Accounts`: a preposition inside a name. */
const NAME_OF = /(?<!\p{L})\p{Lu}\p{Ll}+ (?:on|for|of|in|per) \p{Lu}/u;

const ASKS_ADVICE =
  /\b(?:best|recommend(?:ed|s|ation)?|favou?rite)\b(?! (?:way|practices?|approach|method|effort))/i;

/** What a question asks for. `before` is the question that it depends on, if any. */
export function readQuestion(text: string, before: string | null): Question {
  const own = readTerms(text);
  const earlier = before === null ? [] : readTerms(before).terms;
  const value = own.isEnglish ? readAskedValue(text) : NO_VALUE;
  const known = new Set(own.terms.map(({ stem }) => stem));
  const inherited = earlier
    .filter(({ stem }) => !known.has(stem))
    .map((term) => ({
      ...term,
      prior: term.prior * PRIOR_OF_EARLIER,
      isName: false,
      isBesideNext: false,
      isInherited: true,
    }));
  const spelled = own.isEnglish && SPELL_OUT.test(text) ? withoutSpelling(own.terms) : null;
  return {
    kind: spelled === null ? kindOf(text, value) : 'abbreviation',
    terms: [...(spelled ?? own.terms), ...inherited].slice(0, MAX_TERMS),
    numbers: (normalize(text).match(NUMBERS) ?? []).slice(0, MAX_NUMBERS),
    value,
    asksAdvice: own.isEnglish && ASKS_ADVICE.test(text),
    isEnglish: own.isEnglish,
  };
}

/** Null unless one word is to be spelled out. */
function withoutSpelling(terms: readonly AskedTerm[]): AskedTerm[] | null {
  const marked = terms.map((term) =>
    OF_SPELLING.has(term.word) ? { ...term, isAsking: true, prior: PRIOR_OF_ASKING } : term,
  );
  return marked.filter(({ isAsking }) => !isAsking).length === 1 ? marked : null;
}

function normalize(text: string): string {
  return ungroupNumbers(text.normalize('NFKC'));
}

function kindOf(text: string, { isRequired, measure }: AskedValue): QuestionKind {
  const asksNumber = isRequired && measure !== 'key';
  if (asksNumber || QUANTITY.test(text)) return 'quantity';
  if (INSTRUCTION.test(text)) return 'instruction';
  if (PERSON.test(text)) return 'person';
  return DEFINITION.test(text) && !asksFact(text) ? 'definition' : 'other';
}

function asksFact(text: string): boolean {
  return ASKS_FACT.test(text) || (ASKS_FACT_ABOUT.test(text) && !NAME_OF.test(text));
}

function readTerms(text: string): { terms: AskedTerm[]; isEnglish: boolean } {
  // The parts of `1.0` mean nothing on their own: the whole must occur anyway.
  const raw = normalize(text).replaceAll(DOTTED, ' ').match(WORD_PATTERN) ?? [];
  const words = raw.map((word) => word.toLowerCase());
  const language = languageOf(words);
  const isName = nameTest(raw, language?.hasCapitalNouns === true);
  const phrasalVerbs = language === null ? findPhrasalVerbs(words) : [];
  const terms = new Map<string, AskedTerm & { place: number }>();
  for (const [index, word] of words.entries()) {
    for (const term of termsOf(word, raw[index] ?? word)) {
      const isGrammar =
        FUNCTION_WORDS.has(term.word) ||
        CONTRACTED_WORDS.has(term.word) ||
        language?.words.has(term.word) === true;
      if (isGrammar || terms.has(term.stem)) continue;
      const name = isName(index);
      const phrasal = phrasalVerbs.find(({ verb }) => verb === index)?.meanings ?? [];
      const isParticle = phrasalVerbs.some(({ particle }) => particle === index);
      const isAskedWord = isParticle || isAsked(term.word) || isAskedUnit(words, index);
      const isAsking = !name && isAskedWord && phrasal.length === 0;
      const prior = isAsking ? PRIOR_OF_ASKING : 1;
      const joined = [words[index - 1], words[index + 1]].flatMap((beside, at) =>
        beside === undefined ? [] : stemWord(at === 0 ? beside + word : word + beside),
      );
      terms.set(term.stem, {
        ...term,
        joined,
        phrasal,
        prior,
        isAsking,
        isVerb: !isAsking && !name && (phrasal.length > 0 || isVerb(words, index)),
        isPredicate: !name && words[index - 1] === 'who',
        isName: name,
        isCapitalized: name && /^\p{Lu}[\p{L}'’]+$/u.test(raw[index] ?? ''),
        isBesideNext: false,
        place: index,
        isInherited: false,
      });
    }
  }
  const found = [...terms.values()].map(({ place, ...term }, at, all) => ({
    ...term,
    isBesideNext: all[at + 1]?.place === place + 1,
  }));
  return { terms: found, isEnglish: language === null };
}

function termsOf(
  word: string,
  raw: string,
): Pick<AskedTerm, 'word' | 'stem' | 'counted' | 'parts'>[] {
  const [whole, ...parts] = tokenizeWords(raw);
  if (whole === undefined) return [];
  if (isUnspaced(word)) {
    return [whole, ...parts].map((pair) => ({ ...stemsOf(pair), parts: [] }));
  }
  // The parts lack single letters: without its `i`, `iPhone` would be another word.
  const isWhole = parts.join('') === whole;
  return [{ ...stemsOf(whole), parts: isWhole ? parts.map(stemWord) : [] }];
}

function stemsOf(word: string): Pick<AskedTerm, 'word' | 'stem' | 'counted'> {
  return { word, stem: stemDistinct(word), counted: stemWord(word) };
}

function isAsked(word: string): boolean {
  return ASKING_WORDS.has(word.replace(/(?<=..)s$/, ''));
}

/** `how many [minutes]` */
function isAskedUnit(words: readonly string[], index: number): boolean {
  return isUnit(words[index] ?? '') && words[index - 1] === 'many' && words[index - 2] === 'how';
}

/** `how do I [verb]`, `how to [verb]`, `before it can [verb]`. */
function isVerb(words: readonly string[], index: number): boolean {
  const before = words[index - 1] ?? '';
  const isInfinitive = before === 'to' && !PARTICIPLE.test(words[index] ?? '');
  if (isInfinitive || endsClause(words, index)) return true;
  const earlier = words[index - 2] ?? '';
  if (AUXILIARIES.has(before) && (SUBJECTS.has(earlier) || earlier === 'it')) return true;
  return SUBJECTS.has(before) && AUXILIARIES.has(earlier);
}

/** `which values does the tool [accept]`: the last word of a question whose object comes first. */
function endsClause(words: readonly string[], index: number): boolean {
  const next = words[index + 1];
  if (next === 'be' || (next !== undefined && !FUNCTION_WORDS.has(next))) return false;
  const auxiliary = words.findLastIndex(
    (word, at) => at < index && word !== 'to' && AUXILIARIES.has(word),
  );
  if (auxiliary < 1 || !words.slice(0, auxiliary).some((word) => FRONTED.has(word))) return false;
  // "does the [small tool] accept": articles may precede, and no grammar words may be in between.
  const subject = words.slice(auxiliary + 1, index);
  const noun = subject.slice(subject.findIndex((word) => !FUNCTION_WORDS.has(word)));
  return (
    noun.length > 0 &&
    noun.length < 4 &&
    !noun.some((word) => FUNCTION_WORDS.has(word)) &&
    !subject.some((word) => SUBJECTS.has(word))
  );
}

/** The language other than English that most words belong to; null when more words are English. */
function languageOf(words: readonly string[]): (typeof OTHER_LANGUAGES)[number] | null {
  const english = words.filter((word) => FUNCTION_WORDS.has(word)).length;
  let most = english;
  let best: (typeof OTHER_LANGUAGES)[number] | null = null;
  for (const language of OTHER_LANGUAGES) {
    const count = words.filter((word) => language.words.has(word)).length;
    if (count > most) {
      most = count;
      best = language;
    }
  }
  return best;
}

/** Recognizes names by their digits, underscores and capitals, unless capitals mean nothing here. */
function nameTest(raw: readonly string[], hasCapitalNouns: boolean): (index: number) => boolean {
  const capitals = raw.slice(1).filter((word) => /^\p{Lu}/u.test(word)).length;
  const tellsNothing = hasCapitalNouns || (raw.length > 3 && capitals / (raw.length - 1) > 0.6);
  const isShouted = raw.every((word) => word === word.toUpperCase());
  return (index) => {
    const word = raw[index] ?? '';
    if (/[\p{N}_]/u.test(word)) return true;
    if (isShouted) return false;
    if (/\p{Lu}.*\p{Lu}/u.test(word) || /\p{Ll}\p{Lu}/u.test(word)) return true;
    return index > 0 && !tellsNothing && /^\p{Lu}\p{Ll}/u.test(word);
  };
}
