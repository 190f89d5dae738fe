import { sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { hasPrivatePairsOfOthers, type Reader } from '#src/documents/document-access.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { foldWord } from '#src/documents/fold-word.ts';
import { holdsPhrase, phraseForm } from '#src/documents/match-phrase.ts';
import { SEARCHED_TITLE, SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import { specialWords } from '#src/documents/special-words.ts';
import { wordsOfTitle } from '#src/documents/title-words.ts';
import type { Database } from '#src/platform/database.ts';
import { withoutDigraphs } from './near-words.ts';
import { readTyped, type TypedPart } from './read-typed.ts';
import { typedTitleQuery } from './typed-title-query.ts';
import { visible } from './search-scope.ts';
import { NO_FILTERS } from './search-filters.ts';

/** Titles that are compared; a single letter may match all of them. */
const MAX_COMPARED = 200;

const BEGUN_WORD = /[\p{L}\p{M}\p{N}]+$/u;
/** A symbol, `.NET` or a version, or the beginning of one. */
const BEGUN_SPECIAL =
  /(?<![\p{L}\p{N}.])(?:[A-Za-z](?:\+{1,2}|#)\d{0,4}|\.[A-Za-z]{1,3}|[vV]?\d{1,9}(?:\.\d{1,9}){0,5}\.?)$/u;

export interface Suggestion {
  /** `title`: of a document. `word`: what was typed, with its last word completed. */
  kind: 'title' | 'word';
  text: string;
  documentId: string | null;
  source: string | null;
}

export interface SuggestInput {
  workspaceId: WorkspaceId;
  /** Whose eyes it is seen with. */
  userId: UserId;
  /** What was typed so far. */
  text: string;
  limit: number;
  signal: AbortSignal;
}

interface TitleRow {
  external_id: string;
  semantic_identifier: string;
  /** What is searched as the title, if that is another one. */
  searched_title: string;
  source: string;
  boost: number;
  doc_updated_at: Date | null;
}

/**
 * Completes what somebody types: words of titles, and titles that have its words and a word that goes on as the last one
 * begins. Marks of the query language mean what they mean in a search. Only documents that the user may find are read.
 */
export async function suggest(
  { db, readReplica }: Pick<DocumentServices, 'db' | 'readReplica'>,
  input: SuggestInput,
): Promise<Suggestion[]> {
  const { workspaceId, userId, limit } = input;
  const typed = readTyped(input.text);
  const reader = { workspaceId, userId };
  const titlesOf = async (parts: readonly TypedPart[]): Promise<TitleRow[]> => {
    const query = typedTitleQuery(workspaceId, parts);
    if (query === null) return [];
    const ids = await readReplica.read(db, input.signal, (index) =>
      findTitles(index, reader, query),
    );
    return (await readTitles(db, reader, ids)).filter((row) => hasPhrases(row, parts));
  };
  const rows = await titlesOf(typed);
  // A word that is being excluded is completed by titles that have it.
  const begun = typed.at(-1);
  const isExcluding = begun?.isBegun === true && begun.isExcluded;
  const completing = isExcluding
    ? await titlesOf([...typed.slice(0, -1), { ...begun, isExcluded: false }])
    : rows;
  const words = completions(input.text, begun, completing).slice(0, Math.ceil(limit / 2));
  const titles = bestTitles(typed, rows).slice(0, limit - words.length);
  return [...words, ...titles];
}

async function findTitles(db: Database, reader: Reader, query: string): Promise<DocumentId[]> {
  const { rows } = await sql<{ document_id: DocumentId }>`
    select document_id from document_title
    where words @@ ${query}::tsquery and ${visible(await scopeOf(db, reader))}
    limit ${MAX_COMPARED}`.execute(db);
  return rows.map((row) => row.document_id);
}

/** Checks again who may see them: a replica may not know yet. */
async function readTitles(
  db: Database,
  reader: Reader,
  ids: readonly DocumentId[],
): Promise<TitleRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<TitleRow>`
    select d.external_id, ${SHOWN_TITLE} as semantic_identifier, ${SEARCHED_TITLE} as searched_title,
      d.source, d.boost, d.doc_updated_at
    from (select *, id as document_id from document where id = any(${ids}::bigint[])) d
    where ${visible(await scopeOf(db, reader))}`.execute(db);
  return rows;
}

async function scopeOf(db: Database, { workspaceId, userId }: Reader) {
  const someArePrivate = await hasPrivatePairsOfOthers(db, workspaceId, userId);
  return { workspaceId, userId: someArePrivate ? userId : null, filters: NO_FILTERS };
}

/** Whether a title has the quoted words one after the other, the last one begun at least, and not those excluded. */
function hasPhrases(
  { semantic_identifier, searched_title }: TitleRow,
  parts: readonly TypedPart[],
): boolean {
  const titles = [semantic_identifier, searched_title].map(plainForm);
  return parts
    .filter(({ isPhrase }) => isPhrase)
    .every(({ text, isBegun, isExcluded }) => {
      const phrase = plainForm(text);
      const has = (title: string) =>
        isBegun ? ` ${title}`.includes(` ${phrase}`) : holdsPhrase(title, phrase);
      return titles.some(has) !== isExcluded;
    });
}

/** Titles that begin with what was typed come first, then by boost and date; each title once. */
function bestTitles(typed: readonly TypedPart[], rows: readonly TitleRow[]): Suggestion[] {
  const wanted = typed.filter(({ isExcluded }) => !isExcluded).map(({ text }) => text);
  const beginning = plainForm(wanted.join(' '));
  const ranked = rows
    .map((row) => ({ row, isBeginning: plainForm(row.semantic_identifier).startsWith(beginning) }))
    .sort(
      (a, b) =>
        Number(b.isBeginning) - Number(a.isBeginning) ||
        b.row.boost - a.row.boost ||
        (b.row.doc_updated_at?.getTime() ?? 0) - (a.row.doc_updated_at?.getTime() ?? 0) ||
        (a.row.external_id < b.row.external_id ? -1 : 1),
    );
  const seen = new Set<string>();
  return ranked.flatMap(({ row }) => {
    if (seen.has(row.semantic_identifier)) return [];
    seen.add(row.semantic_identifier);
    return {
      kind: 'title' as const,
      text: row.semantic_identifier,
      documentId: row.external_id,
      source: row.source,
    };
  });
}

/** What was typed, with its last word completed by words of these titles: those of most titles first. */
function completions(
  text: string,
  begun: TypedPart | undefined,
  rows: readonly TitleRow[],
): Suggestion[] {
  if (begun?.isBegun !== true) return [];
  const symbol = BEGUN_SPECIAL.exec(text)?.[0];
  const written = symbol ?? BEGUN_WORD.exec(text)?.[0];
  if (written === undefined) return [];
  const before = text.slice(0, text.length - written.length);
  const counts = new Map<string, number>();
  for (const { semantic_identifier: title } of rows) {
    const goingOn =
      symbol === undefined ? wordsFrom(title, written, begun) : specialsFrom(title, symbol);
    for (const word of goingOn) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, inA], [b, inB]) => inB - inA || (a < b ? -1 : 1))
    .map(([word]) => ({ kind: 'word', text: before + word, documentId: null, source: null }));
}

/** Words of a title that begin like this one, with or without its accents; in a phrase only the one that follows. */
function wordsFrom(title: string, written: string, { text, isPhrase }: TypedPart): Set<string> {
  const typed = phraseForm(written);
  const beginnings = [foldWord(typed), withoutDigraphs(typed) ?? foldWord(typed)];
  const words = isPhrase ? followingWords(title, text) : wordsOfTitle(title);
  return new Set(
    words.filter((word) => {
      const folded = foldWord(word);
      return word !== typed && beginnings.some((beginning) => folded.startsWith(beginning));
    }),
  );
}

/** The words of a title that stand where the last word of the phrase stands. */
function followingWords(title: string, phrase: string): string[] {
  const wanted = plainForm(phrase).split(' ').slice(0, -1).join(' ');
  const words = phraseForm(title).split(' ');
  const count = wanted === '' ? 0 : wanted.split(' ').length;
  return words.filter(
    (_, at) => at >= count && foldWord(words.slice(at - count, at).join(' ')) === wanted,
  );
}

/** Versions and symbols of a title that begin so, as they are written there. */
function specialsFrom(title: string, written: string): Set<string> {
  const found = specialWords(title).map(({ index, end }) => title.slice(index, end));
  const beginning = written.toLowerCase();
  return new Set(
    found.filter((special) => {
      const lower = special.toLowerCase();
      return lower !== beginning && lower.startsWith(beginning);
    }),
  );
}

function plainForm(text: string): string {
  return foldWord(phraseForm(text));
}
