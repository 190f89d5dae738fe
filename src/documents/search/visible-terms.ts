import { sql } from 'kysely';
import { titleQuery } from '#src/documents/title-words.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import type { Database } from '#src/platform/database.ts';
import { chunksWith, readTermLists } from './read-term-lists.ts';
import { NO_FILTERS } from './search-filters.ts';
import { visibleOf } from './search-postings.ts';
import { termsOfLooseRows } from './search-loose-rows.ts';
import { type SearchScope, visible } from './search-scope.ts';

/** Of words that only chunks private to others may have: rarer ones are looked up. */
const MAX_SECRET_CHUNKS = 1_000;
export const MAX_SECRET_WORDS = 32;
/** A word of more chunks, of which the searcher may see none of so many, is taken as one that only others have. */
const MAX_LOOKED_AT = 20_000;

/** Those terms that some chunk has which the searcher may see, whatever the query filters and demands. */
export async function visibleTerms(
  db: Database,
  scope: SearchScope,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const lists = await readTermLists(db, scope.workspaceId, ids);
  // The rows first: a chunk that gets its postings meanwhile is then in both, and never in neither.
  const seen = new Set(lists.someAreLoose ? await termsOfLooseRows(db, anywhere(scope), ids) : []);
  const current = lists.someAreLoose ? await readTermLists(db, scope.workspaceId, ids) : lists;
  let unseen = ids
    .filter((id) => !seen.has(id))
    .map((id) => ({ id, chunks: chunksWith(current, id, MAX_LOOKED_AT).slice(0, MAX_LOOKED_AT) }));
  // Nearly every word is in a chunk that everybody may see.
  for (
    let from = 0, step = 50;
    unseen.length > 0 && from < MAX_LOOKED_AT;
    from += step, step *= 4
  ) {
    const next = unseen.flatMap(({ chunks }) => chunks.slice(from, from + step));
    const visibleChunks = await visibleOf(
      db,
      anywhere(scope),
      next.map((key) => ({ key, score: 0 })),
    );
    const shown = new Set(visibleChunks.map(({ key }) => key));
    for (const { id, chunks } of unseen) {
      if (chunks.slice(from, from + step).some((key) => shown.has(key))) seen.add(id);
    }
    unseen = unseen.filter(({ id, chunks }) => !seen.has(id) && chunks.length > from + step);
  }
  return seen;
}

/**
 * Words of the query that only chunks private to others have: to the searcher they are as unknown as any other, and an
 * answer that leaves them alone would tell that they are there.
 */
export async function termsOfOthers(
  db: Database,
  scope: SearchScope,
  ids: readonly number[],
  { df }: TermCounts,
): Promise<ReadonlySet<number>> {
  if (scope.userId === null) return new Set();
  const rare = ids
    .filter((id) => (df.get(id) ?? 0) > 0 && (df.get(id) ?? 0) <= MAX_SECRET_CHUNKS)
    .slice(0, MAX_SECRET_WORDS);
  const seen = await visibleTerms(db, scope, rare);
  return new Set(rare.filter((id) => !seen.has(id)));
}

/** Whether a title has the word that the searcher may see. */
export async function isInTitle(db: Database, scope: SearchScope, word: string): Promise<boolean> {
  const query = titleQuery(scope.workspaceId, [word], { isPrefix: false });
  const { rows } = await sql`select 1 from document_title
    where words @@ ${query}::tsquery and ${visible(anywhere(scope))} limit 1`.execute(db);
  return rows.length > 0;
}

function anywhere(scope: SearchScope): SearchScope {
  return { ...scope, filters: NO_FILTERS, conditions: [] };
}
