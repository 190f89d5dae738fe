import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { workspaceSalt } from './bm25.ts';
import { TERMS_VERSION } from './terms-version.ts';
import { stemWord } from './expand-word.ts';
import { searchWords, tokenizeWords } from './tokenize.ts';

/** Titles may be as long as documents; the index holds their beginning. */
export const MAX_TITLE_LENGTH = 1_000;
const MAX_WORDS = 50;
const MARK_LENGTH = 4;

export interface TitledDocument {
  id: DocumentId;
  workspace_id: WorkspaceId;
  semantic_identifier: string;
  title: string | null;
}

/** The words of a title as they stand in the index: lower case, identifiers whole and in parts; with stop words. */
export function wordsOfTitle(title: string): string[] {
  return [...new Set(tokenizeWords(title.slice(0, MAX_TITLE_LENGTH)))].slice(0, MAX_WORDS);
}

/** Plain words first, then their forms without accents and the parts of compounds, which suggestions leave out. */
function indexedWords(titles: string): string[] {
  const found = new Set([
    ...wordsOfTitle(titles),
    ...searchWords(titles.slice(0, MAX_TITLE_LENGTH)),
  ]);
  return [...found].slice(0, 2 * MAX_WORDS);
}

/** Writes the words of these titles, those of `title` and of what is shown in its place. */
export async function writeTitles(
  trx: DatabaseTransaction,
  documents: readonly TitledDocument[],
): Promise<void> {
  await insertTitles(
    trx,
    documents,
    sql`update set words = excluded.words, terms_version = excluded.terms_version
      where t.words is distinct from excluded.words or t.terms_version <> excluded.terms_version`,
  );
}

/** The same, but only of documents that have none: whoever indexed one meanwhile may know a newer title. */
export async function addMissingTitles(
  db: Database,
  documents: readonly TitledDocument[],
): Promise<void> {
  await insertTitles(db, documents, sql`nothing`);
}

async function insertTitles(
  db: Database | DatabaseTransaction,
  documents: readonly TitledDocument[],
  whenKnown: RawBuilder<unknown>,
): Promise<void> {
  if (documents.length === 0) return;
  const rows = documents.map(({ id, workspace_id, semantic_identifier, title }) => {
    const both = new Set(
      indexedWords(`${semantic_identifier}\n${title ?? ''}`).flatMap((word) => [
        word,
        stemWord(word),
      ]),
    );
    const mark = markOf(workspace_id);
    return { id, workspace_id, words: [...both].map((word) => mark + word) };
  });
  await sql`
    insert into document_title as t (document_id, workspace_id, words, terms_version)
    select x.id, x.workspace_id, array_to_tsvector(array(select json_array_elements_text(x.words))), ${TERMS_VERSION}
    from json_to_recordset(${JSON.stringify(rows)}::json) as x(id bigint, workspace_id uuid, words json)
    join document d on d.id = x.id
    on conflict (document_id) do ${whenKnown}`.execute(db);
}

/**
 * A `tsquery` for titles of the workspace that have every one of these words; null when there are none.
 * @param isPrefix whether a word may go on
 */
export function titleQuery(
  workspaceId: WorkspaceId,
  words: readonly string[],
  { isPrefix }: { isPrefix: boolean },
): string | null {
  const lexemes = [...new Set(words)].map((word) => titleLexeme(workspaceId, word, { isPrefix }));
  return lexemes.length === 0 ? null : lexemes.join(' & ');
}

/** One word of a `tsquery` for titles of the workspace. */
export function titleLexeme(
  workspaceId: WorkspaceId,
  word: string,
  { isPrefix }: { isPrefix: boolean },
): string {
  const quoted = (markOf(workspaceId) + word)
    .replaceAll('\\', String.raw`\\`)
    .replaceAll("'", "''");
  return `'${quoted}'${isPrefix ? ':*' : ''}`;
}

/**
 * Begins every word of a workspace, so that a prefix reads the index entries of hardly any other one. Two workspaces
 * may share a mark: the workspace id decides.
 */
function markOf(workspaceId: WorkspaceId): string {
  const mark = workspaceSalt(workspaceId).toString(36).padStart(MARK_LENGTH, '0');
  return mark.slice(-MARK_LENGTH);
}
