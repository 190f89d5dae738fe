import type { WorkspaceId } from '#src/ids.ts';
import { idf, termId, workspaceSalt } from '#src/documents/bm25.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import type { AskedTerms } from './asked-terms.ts';
import type { Compounds } from './find-compounds.ts';
import { WORD_WEIGHTS } from './weights.ts';

/**
 * What is asked for, with the compounds of its words besides. A compound counts for no more than the word of the query
 * itself, which is rarely as rare.
 */
export function askForCompounds(
  asked: AskedTerms,
  workspaceId: WorkspaceId,
  { termsOf, df: dfOfCompounds }: Compounds,
): AskedTerms {
  if (termsOf.size === 0) return asked;
  const salt = workspaceSalt(workspaceId);
  const { chunks } = asked.counts;
  const df = new Map([...asked.counts.df, ...dfOfCompounds]);
  const idfOf = (id: number) => idf(df.get(id) ?? 0, chunks);
  const queryTerms = new Map(asked.queryTerms);
  const origins = new Map(asked.origins);
  const words = [...asked.words];
  for (const [word, compounds] of termsOf) {
    const own = termId(stemWord(word), salt);
    const most = df.has(own) ? idfOf(own) : Infinity;
    for (const term of compounds) {
      const id = termId(term, salt);
      if (queryTerms.has(id)) continue;
      queryTerms.set(id, WORD_WEIGHTS.compound * Math.min(1, most / idfOf(id)));
      origins.set(term, { kind: 'compound', of: word });
      words.push(term);
    }
  }
  return { ...asked, words, origins, queryTerms, counts: { chunks, df } };
}
