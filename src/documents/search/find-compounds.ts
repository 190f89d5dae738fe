import type { RawBuilder } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { type CompoundPart, compoundPart, restsOf } from '#src/documents/compound-words.ts';
import { foldWord } from '#src/documents/fold-word.ts';
import { splitCompound } from '#src/documents/split-compound.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { compoundWordRows } from '#src/documents/word-buckets.ts';
import type { Database } from '#src/platform/database.ts';
import type { SearchScope } from './search-scope.ts';
import { MAX_SECRET_WORDS, termsOfOthers } from './visible-terms.ts';

/** Words of a query whose compounds are looked for. */
const MAX_WORDS = 8;
/** Words that look like their compounds, the shortest first: those of which something else is left. */
const MAX_CANDIDATES = 256;
/** Compounds whose other part is looked up: each word of the query has its share. */
const MAX_COUNTED = 40;
/** Compounds that are searched for, of all words of a query: no more than `termsOfOthers` looks up. */
const MAX_COMPOUNDS = MAX_SECRET_WORDS;

/** A word of the workspace that may have a word of the query as its first or last part. */
interface Candidate {
  /** The word of the query. */
  of: string;
  compound: string;
  /** Forms of which the index must have one. */
  rests: string[];
}

/** Words of the workspace that have a word of the query as their first or last part. */
export interface Compounds {
  /** Word of the query → terms of its compounds. */
  termsOf: ReadonlyMap<string, readonly string[]>;
  /** Term id of a compound → chunks that have it. */
  df: ReadonlyMap<number, number>;
}

const NO_COMPOUNDS: Compounds = { termsOf: new Map(), df: new Map() };

/**
 * Compounds that have one of these words as their first or last part, where the other part is a word of the workspace,
 * too. Both must stand in a chunk that the searcher may see. A compound that the index finds by its parts is not among
 * them.
 * @param words lower case, with their accents
 * @param ahead what `compoundRows` gives for them, if it was read already
 */
export async function findCompounds(
  db: Database,
  scope: SearchScope,
  words: readonly string[],
  ahead: readonly string[] | null = null,
): Promise<Compounds> {
  const candidates = toCandidates(
    partsOf(words),
    ahead ?? (await readCompounds(db, scope.workspaceId, words)),
  );
  if (candidates.length === 0) return NO_COMPOUNDS;
  const salt = workspaceSalt(scope.workspaceId);
  const idOf = (word: string) => termId(stemWord(word), salt);
  const counts = await readTermCounts(
    db,
    scope.workspaceId,
    candidates.flatMap(({ compound, rests }) => [compound, ...rests].map(idOf)),
  );
  const df = (word: string) => counts.df.get(idOf(word)) ?? 0;
  const known = candidates
    .flatMap(({ rests, ...one }) => {
      const rest = rests.reduce((best, other) => (df(other) > df(best) ? other : best), '');
      return df(one.compound) > 0 && df(rest) > 0 ? [{ ...one, rest }] : [];
    })
    .slice(0, MAX_COMPOUNDS);
  const secret = await secretAmong(db, scope, counts, [
    known.map(({ compound }) => idOf(compound)),
    known.map(({ rest }) => idOf(rest)),
  ]);
  const found = known.filter(
    ({ compound, rest }) => !secret.has(idOf(compound)) && !secret.has(idOf(rest)),
  );
  return {
    termsOf: new Map(
      Array.from(
        Map.groupBy(found, ({ of }) => of),
        ([word, own]) => [word, own.map(({ compound }) => stemWord(compound))],
      ),
    ),
    df: new Map(found.map(({ compound }) => [idOf(compound), df(compound)])),
  };
}

async function readCompounds(
  db: Database,
  workspaceId: WorkspaceId,
  words: readonly string[],
): Promise<string[]> {
  const { rows } = (await compoundRows(workspaceId, words)?.execute(db)) ?? { rows: [] };
  return rows.map(({ word }) => word);
}

/** Words of the workspace that begin or end with one of these words, the shortest first; null when none can be a part. */
export function compoundRows(
  workspaceId: WorkspaceId,
  words: readonly string[],
): RawBuilder<{ word: string }> | null {
  const asked = partsOf(words).map(({ part }) => part);
  return asked.length === 0 ? null : compoundWordRows(workspaceId, asked, MAX_CANDIDATES);
}

/** A word of the query that may be a part of compounds. */
interface AskedPart {
  of: string;
  folded: string;
  part: CompoundPart;
}

function partsOf(words: readonly string[]): AskedPart[] {
  return words.slice(0, MAX_WORDS).flatMap((word) => {
    const folded = foldWord(word);
    const part = compoundPart(folded);
    return part === null ? [] : [{ of: word, folded, part }];
  });
}

function toCandidates(parts: readonly AskedPart[], written: readonly string[]): Candidate[] {
  const share = Math.ceil(MAX_COUNTED / parts.length);
  return parts.flatMap(({ of, folded, part }) =>
    written
      .flatMap((compound) => {
        if (compound === folded || isIndexedBy(compound, part)) return [];
        const rests = restsOf(compound, folded);
        return rests.length === 0 ? [] : [{ of, compound, rests }];
      })
      .slice(0, share),
  );
}

function isIndexedBy(compound: string, { endings }: CompoundPart): boolean {
  return splitCompound(compound).some((part) => endings.includes(part));
}

async function secretAmong(
  db: Database,
  scope: SearchScope,
  counts: TermCounts,
  lists: readonly (readonly number[])[],
): Promise<ReadonlySet<number>> {
  const secret = new Set<number>();
  for (const ids of lists) {
    for (const id of await termsOfOthers(db, scope, ids, counts)) secret.add(id);
  }
  return secret;
}
