import { foldWord } from '#src/documents/fold-word.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { bareLetter, splitAtSpecials } from '#src/documents/special-words.ts';
import { STOP_WORDS } from '#src/documents/stop-words.ts';
import { isUnspaced, stemWord } from '#src/documents/expand-word.ts';
import { stableTerms, tokenizeWords } from '#src/documents/tokenize.ts';
import { normalizeText } from '#src/platform/normalize-text.ts';

/** Longer words are cut in the index. */
const MAX_LENGTH = 64;
const POSSESSIVE = /['’]s(?![\p{L}\p{N}])/giu;

/** Terms that the index has of every text that meets a condition with these words. */
export interface DemandedTerms {
  /** In rows of this version, which have words without accents, versions and symbols. */
  current: string[];
  /** In rows of an earlier one. */
  older: string[];
}

export function demandedTerms(text: string): DemandedTerms {
  const normal = normalizeText(text, 'NFKC');
  const pieces = splitAtSpecials(normal);
  const bare = pieces.length === 1 ? bareLetter(phraseForm(normal)) : null;
  const terms = pieces.flatMap((piece) =>
    typeof piece === 'string' ? plainTerms(piece) : piece.words.slice(0, 1).map(stemWord),
  );
  if (bare !== null) terms.unshift(bare);
  return { current: [...new Set(terms)], older: [...new Set(stableTerms(text))] };
}

/** Of scripts without spaces the pairs of characters; of others the words, as accents and joiners leave them. */
function plainTerms(text: string): string[] {
  const spaced = foldWord(phraseForm(text.replace(POSSESSIVE, '')))
    .split(' ')
    .filter((word) => word !== '' && !isUnspaced(word) && !STOP_WORDS.has(word))
    // A letter between joiners (`x-ray`) is in no index.
    .filter((word) => word.length <= MAX_LENGTH && (word.length > 1 || /\p{N}/u.test(word)));
  const pairs = tokenizeWords(text).filter(
    (word) => isUnspaced(word) && Array.from(word).length > 1,
  );
  return [...spaced.map(stemWord), ...pairs];
}
