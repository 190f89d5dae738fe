import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { IS_OLDER } from '#src/documents/terms-version.ts';
import { titleQuery } from '#src/documents/title-words.ts';
import { demandedTerms } from './demanded-words.ts';
import { hasSpecialWords } from './match-condition.ts';
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
  for (const condition of demanded) {
    const { text, isTitle, isExcluded } = condition;
    // The order of words is checked later, so these do not exclude yet.
    if (!isTitle || (isExcluded && needsText(condition))) continue;
    const { current, older } = demandedTerms(text);
    const query = titleQuery(workspaceId, current, { isPrefix: false });
    const olderQuery = titleQuery(workspaceId, older, { isPrefix: false });
    if (query === null) continue;
    const titles = sql`array(select document_id from document_title
      where workspace_id = ${workspaceId} and (words @@ ${query}::tsquery
        or (${IS_OLDER} and words @@ ${olderQuery}::tsquery)))`;
    conditions.push(
      isExcluded ? sql`document_id <> all(${titles})` : sql`document_id = any(${titles})`,
    );
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
    const wanted = termCondition(workspaceId, condition.text);
    if (wanted === null) continue;
    conditions.push(condition.isExcluded ? sql`not ${wanted}` : wanted);
  }
  if (conditions.length === 0) return null;
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** For each condition that a passage must meet, the terms of `termCondition`. */
export function demandedTermIds(
  workspaceId: WorkspaceId,
  demanded: readonly QueryCondition[],
): { current: number[]; older: number[] }[] {
  return demanded
    .filter(({ isTitle, isExcluded }) => !isTitle && !isExcluded)
    .map(({ text }) => idsOf(workspaceId, text))
    .filter(({ current }) => current.length > 0);
}

function idsOf(workspaceId: WorkspaceId, text: string): { current: number[]; older: number[] } {
  const salt = workspaceSalt(workspaceId);
  const { current, older } = demandedTerms(text);
  return {
    current: current.map((term) => termId(term, salt)),
    older: older.map((term) => termId(term, salt)),
  };
}

/** Whether a condition has words that must stand together, or a version or symbol: only the text tells. */
export function needsText({ text, isPhrase }: QueryCondition): boolean {
  return isPhrase || phraseForm(text).includes(' ') || hasSpecialWords(text);
}

/** On a row of `chunk_terms`: it has the words of a text, whichever version wrote it. Null when any row will do. */
export function termCondition(workspaceId: WorkspaceId, text: string): RawBuilder<unknown> | null {
  const { current, older } = idsOf(workspaceId, text);
  if (current.length === 0) return null;
  return sql`(terms @> ${current}::int[] or (${IS_OLDER} and terms @> ${older}::int[]))`;
}
