import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { titleQuery } from '#src/documents/title-words.ts';
import { stableTerms, stemWord, tokenizeWords } from '#src/documents/tokenize.ts';
import type { QueryCondition } from './parse-query.ts';

/*
 * What a query demands beside its words, as far as the index can tell: it knows which words a title and a passage have,
 * but not where. `keepMatching` checks what is left.
 */

/**
 * On a row with `workspace_id` and `document_id`; null when any title will do. An array is made once; a planner without
 * statistics would look into the titles again for every row of a subquery.
 */
export function titleCondition(
  workspaceId: WorkspaceId,
  demanded: readonly QueryCondition[],
): RawBuilder<unknown> | null {
  const conditions: RawBuilder<unknown>[] = [];
  for (const { text, isTitle, isPhrase, isExcluded } of demanded) {
    // The order of a phrase is checked later, so its words do not exclude yet.
    if (!isTitle || (isExcluded && isPhrase)) continue;
    const query = titleQuery(workspaceId, stemsOf(text), { isPrefix: false });
    if (query === null) continue;
    if (isExcluded) {
      conditions.push(sql`document_id <> all(array(select t.document_id from document_title t
        where t.workspace_id = ${workspaceId} and t.words @@ ${query}::tsquery))`);
    } else {
      conditions.push(sql`document_id = any(array(select t.document_id from document_title t
        where t.workspace_id = ${workspaceId} and t.words @@ ${query}::tsquery))`);
    }
  }
  if (conditions.length === 0) return null;
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** On a row of `chunk_terms`; null when any passage will do. */
export function passageCondition(
  workspaceId: WorkspaceId,
  demanded: readonly QueryCondition[],
): RawBuilder<unknown> | null {
  const conditions: RawBuilder<unknown>[] = [];
  for (const condition of demanded) {
    if (condition.isTitle || (condition.isExcluded && needsText(condition))) continue;
    const ids = termIdsOf(workspaceId, condition.text);
    if (ids.length === 0) continue;
    if (condition.isExcluded) conditions.push(sql`not terms @> ${ids}::int[]`);
    else conditions.push(sql`terms @> ${ids}::int[]`);
  }
  if (conditions.length === 0) return null;
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** Whether the words of a condition must stand together, which only the text tells. */
export function needsText({ text, isPhrase }: QueryCondition): boolean {
  return isPhrase || phraseForm(text).includes(' ');
}

/** Of the words of a text, as all passages are indexed by them. */
export function termIdsOf(workspaceId: WorkspaceId, text: string): number[] {
  const salt = workspaceSalt(workspaceId);
  return [...new Set(stableTerms(text).map((term) => termId(term, salt)))];
}

function stemsOf(text: string): string[] {
  return tokenizeWords(text).map(stemWord);
}
