import type { WorkspaceId } from '#src/ids.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { bucketOf, readWords } from '#src/documents/word-buckets.ts';
import type { Database } from '#src/platform/database.ts';
import { hasOwnInflections, synonymStems } from './synonym-stems.ts';
import type { Synonym } from './synonyms.ts';

/** Synonyms of one query whose inflections are looked up. */
const MAX_INFLECTED = 8;
/** Inflections of each: more are hardly of one word. */
const MAX_FORMS = 8;
/** The longest ending beyond that of the word, in letters. */
const LONGEST_MORE = 3;
/** What a participle begins with (`gekündigt`), and how many letters it has more than the stem. */
const PARTICIPLE = { letter: 'g', more: 3 };

/**
 * Words of the workspace that are these synonyms in another inflection, as far as the index keeps it apart: `kündigen` →
 * kündigt, gekündigt. Words that only others may see are among them, so they may be searched for, but not be shown.
 */
export async function inflectSynonyms(
  db: Database,
  workspaceId: WorkspaceId,
  synonyms: readonly Synonym[],
): Promise<Synonym[]> {
  const inflected = synonyms.flatMap(({ phrase, of }) => {
    const word = phraseForm(phrase);
    const [stem = ''] = synonymStems(phrase);
    return word.includes(' ') || !hasOwnInflections(word) ? [] : [{ word, stem, of }];
  });
  if (inflected.length === 0) return [];
  const asked = inflected.slice(0, MAX_INFLECTED);
  const written = await readWords(db, workspaceId, [...new Set(asked.flatMap(bucketsOf))]);
  return asked.flatMap(({ word, stem, of }) =>
    written
      .filter((other) => other !== word && synonymStems(other)[0] === stem)
      .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
      .slice(0, MAX_FORMS)
      .map((phrase) => ({ phrase, of })),
  );
}

function bucketsOf({ word, stem }: { word: string; stem: string }): number[] {
  const longest = word.length + LONGEST_MORE;
  const lengths = Array.from({ length: longest - stem.length + 1 }, (_, at) => stem.length + at);
  return [
    ...lengths.map((length) => bucketOf(word, length)),
    bucketOf(PARTICIPLE.letter, stem.length + PARTICIPLE.more),
  ];
}
