import { foldWord } from '#src/documents/fold-word.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { splitAtSpecials } from '#src/documents/special-words.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { normalizeText } from '#src/platform/normalize-text.ts';

const SHORTEST_STEM = 4;
/** Such letters and endings are of no English word, so the English stemmer does nothing for it. */
const ACCENTED = /[^\0-\x7f]/;
const GERMAN_ENDING = /(?:ungen|[hk]eit(?:en)?|ieren|iert(?:e[nmrs]?)?)$/;
/** Of nouns, adjectives and verbs, as the Snowball stemmer for German takes them away in two steps. */
const ENDING = /(?:ern|em|en|er|es|e|(?<=[bdfghklmnrt])s)$/;
const VERB_ENDING = /(?:st|t)$/;
const PARTICIPLE = /^ge(.{4,})t$/;

/**
 * A phrase as synonyms are compared: its words in order, each without its inflection; a version or a symbol as it stands,
 * so that `C++` is neither `C` nor `C#`. `Cancelled` and `cancels` are cancel; `gekündigt` and `kündigte` are kundig.
 */
export function synonymStems(text: string): string[] {
  return splitAtSpecials(normalizeText(text, 'NFKC')).flatMap((piece) => {
    if (typeof piece !== 'string') return piece.words.slice(0, 1);
    const form = phraseForm(piece);
    return form === '' ? [] : form.split(' ').map(stemOf);
  });
}

/** Whether the terms of the index, which are stems of English, keep the inflections of a word apart. */
export function hasOwnInflections(word: string): boolean {
  return ACCENTED.test(word) || GERMAN_ENDING.test(foldWord(word));
}

function stemOf(word: string): string {
  const folded = foldWord(word);
  return hasOwnInflections(word) ? withoutInflection(folded) : stemWord(folded);
}

function withoutInflection(word: string): string {
  const bare = without(word, ENDING);
  const [, participle] = PARTICIPLE.exec(bare) ?? [];
  return participle ?? without(bare, VERB_ENDING);
}

function without(word: string, ending: RegExp): string {
  const bare = word.replace(ending, '');
  return bare.length < SHORTEST_STEM ? word : bare;
}
