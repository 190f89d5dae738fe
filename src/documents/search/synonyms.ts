import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

export const SYNONYM_LIMITS = { groups: 500, phrases: 10, phraseLength: 100, phraseWords: 8 };
/** Words of a query that are looked up; a question is shorter. */
const MAX_LOOKED_UP = 64;
/** Phrases added to one query. */
const MAX_ADDED = 40;

/** Why a phrase cannot be in a group; null when it can. */
export function refusedPhrase(phrase: string): string | null {
  const form = phraseForm(phrase);
  if (form === '') return 'must have a letter or a digit';
  const isShort = form.split(' ').length <= SYNONYM_LIMITS.phraseWords;
  return isShort ? null : `must not have more than ${SYNONYM_LIMITS.phraseWords} words`;
}

/** In the order in which they were written. */
export async function readSynonymGroups(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<string[][]> {
  const { rows } = await sql<{ group_number: number; phrase: string }>`
    select group_number, phrase from search_synonym
    where workspace_id = ${workspaceId} order by group_number, place`.execute(db);
  return [...Map.groupBy(rows, (row) => row.group_number).values()].map((group) =>
    group.map(({ phrase }) => phrase),
  );
}

/** A phrase that stands twice in a group, in any case, is kept once. */
export async function replaceSynonyms(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  groups: readonly (readonly string[])[],
): Promise<void> {
  await sql`delete from search_synonym where workspace_id = ${workspaceId}`.execute(trx);
  const rows = groups.flatMap((phrases, group) =>
    phrases.map((phrase, place) => ({ group, place, phrase, form: phraseForm(phrase) })),
  );
  await sql`
    insert into search_synonym (workspace_id, form, group_number, place, phrase)
    select ${workspaceId}, x.form, x."group", x.place, x.phrase
    from json_to_recordset(${JSON.stringify(rows)}::json) as x("group" int, place int, phrase text, form text)
    on conflict do nothing`.execute(trx);
}

/** The phrases that mean the same as words of a query, each once, without those that it has itself. */
export async function synonymsOf(
  db: Database,
  workspaceId: WorkspaceId,
  query: string,
): Promise<string[]> {
  const forms = runsOf(phraseForm(query));
  if (forms.length === 0) return [];
  const { rows } = await sql<{ phrase: string }>`
    select phrase from (
      select distinct on (other.form) other.form, other.phrase, other.group_number, other.place
      from search_synonym own
      join search_synonym other using (workspace_id, group_number)
      where own.workspace_id = ${workspaceId} and own.form = any(${forms}::text[])
        and other.form <> all(${forms}::text[])
      order by other.form, other.group_number) found
    order by group_number, place limit ${MAX_ADDED}`.execute(db);
  return rows.map(({ phrase }) => phrase);
}

/** Every run of one to eight words that follow each other. */
function runsOf(form: string): string[] {
  if (form === '') return [];
  const words = form.split(' ').slice(0, MAX_LOOKED_UP);
  const runs = words.flatMap((_, from) =>
    Array.from({ length: Math.min(SYNONYM_LIMITS.phraseWords, words.length - from) }, (__, more) =>
      words.slice(from, from + more + 1).join(' '),
    ),
  );
  return [...new Set(runs)];
}
