import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { splitAtSpecials } from '#src/documents/special-words.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { normalizeText } from '#src/platform/normalize-text.ts';
import { demandedTerms } from './demanded-words.ts';
import { hasSpecialWords } from './match-condition.ts';
import { synonymStems } from './synonym-stems.ts';

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
    phrases.map((phrase, place) => ({
      group,
      place,
      phrase,
      form: formOf(phrase),
      stems: stemsOf(phrase),
    })),
  );
  await sql`
    insert into search_synonym (workspace_id, form, group_number, place, phrase, stems)
    select ${workspaceId}, x.form, x."group", x.place, x.phrase, x.stems
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as x("group" int, place int, phrase text, form text, stems text)
    on conflict do nothing`.execute(trx);
}

/** What is searched for besides words of a query. */
export interface Synonym {
  phrase: string;
  /** The phrase of its group that the query has. */
  of: string;
}

/**
 * The phrases that mean the same as words of a query in any inflection, each once, without those that it has itself.
 * @param queries the query, and the same with its words replaced
 */
export async function synonymsOf(
  db: Database,
  workspaceId: WorkspaceId,
  queries: ReadonlySet<string>,
): Promise<Synonym[]> {
  const { rows } = (await synonymRows(workspaceId, queries)?.execute(db)) ?? { rows: [] };
  return rows;
}

/** Null when the queries have no words. */
export function synonymRows(
  workspaceId: WorkspaceId,
  queries: ReadonlySet<string>,
): RawBuilder<Synonym> | null {
  const texts = [...queries];
  const stems = texts.flatMap((text) => runsOf(synonymStems(text)));
  const forms = texts.flatMap((text) => runsOf(wordsOf(formOf(text))));
  const olderForms = texts.flatMap((text) => runsOf(wordsOf(phraseForm(text))));
  if (stems.length + olderForms.length === 0) return null;
  return sql<Synonym>`
    select phrase, "of" from (
      select distinct on (other.form) other.form, other.phrase, own.phrase as "of", other.group_number, other.place
      from search_synonym own
      join search_synonym other using (workspace_id, group_number)
      where own.workspace_id = ${workspaceId}
        and (own.stems = any(${stems}::text[]) or (own.stems is null and own.form = any(${olderForms}::text[])))
        and other.place <> own.place and other.form <> all(${forms}::text[])
      order by other.form, other.group_number) found
    order by group_number, place limit ${MAX_ADDED}`;
}

/** Of `C++` the symbol alone: its letter would find what is about C. */
export function synonymTermsOf({ phrase }: Synonym): string[] {
  return hasSpecialWords(phrase) ? demandedTerms(phrase).current : tokenize(phrase);
}

/** How a phrase is compared with queries. */
export function stemsOf(phrase: string): string {
  return synonymStems(phrase).join(' ');
}

/** The words of a phrase as they are written, in lower case: with its symbols, unlike `phraseForm`. */
function formOf(phrase: string): string {
  const pieces = splitAtSpecials(normalizeText(phrase, 'NFKC')).map((piece) =>
    typeof piece === 'string' ? phraseForm(piece) : (piece.words[0] ?? ''),
  );
  return pieces.filter((piece) => piece !== '').join(' ');
}

function wordsOf(form: string): string[] {
  return form === '' ? [] : form.split(' ');
}

/** Every run of one to eight words that follow each other. */
function runsOf(all: readonly string[]): string[] {
  const words = all.slice(0, MAX_LOOKED_UP);
  const runs = words.flatMap((_, from) =>
    Array.from({ length: Math.min(SYNONYM_LIMITS.phraseWords, words.length - from) }, (__, more) =>
      words.slice(from, from + more + 1).join(' '),
    ),
  );
  return [...new Set(runs)];
}
