import { sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { hasPrivatePairsOfOthers, type Reader } from '#src/documents/document-access.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { phraseForm } from '#src/documents/match-phrase.ts';
import { SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import { titleQuery, wordsOfTitle } from '#src/documents/title-words.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';
import type { Database } from '#src/platform/database.ts';
import { visible } from './search-terms.ts';
import { NO_FILTERS } from './search-filters.ts';

/** Titles that are compared; a single letter may match all of them. */
const MAX_COMPARED = 200;
const MAX_TYPED_WORDS = 10;

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
  source: string;
  boost: number;
  doc_updated_at: Date | null;
}

/**
 * Completes what somebody types: words of titles, and titles that have words with all these beginnings. Only documents
 * that the user may find are read.
 */
export async function suggest(
  { db, readReplica }: Pick<DocumentServices, 'db' | 'readReplica'>,
  input: SuggestInput,
): Promise<Suggestion[]> {
  const { workspaceId, userId, limit } = input;
  const typed = tokenizeWords(input.text).slice(0, MAX_TYPED_WORDS);
  const query = titleQuery(workspaceId, typed, { isPrefix: true });
  if (query === null) return [];
  const reader = { workspaceId, userId };
  const ids = await readReplica.read(db, input.signal, (index) => findTitles(index, reader, query));
  const rows = await readTitles(db, reader, ids);
  const words = completions(input.text, rows).slice(0, Math.ceil(limit / 2));
  const titles = bestTitles(input.text, rows).slice(0, limit - words.length);
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
    select d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source, d.boost, d.doc_updated_at
    from (select *, id as document_id from document where id = any(${ids}::bigint[])) d
    where ${visible(await scopeOf(db, reader))}`.execute(db);
  return rows;
}

async function scopeOf(db: Database, { workspaceId, userId }: Reader) {
  const someArePrivate = await hasPrivatePairsOfOthers(db, workspaceId, userId);
  return { workspaceId, userId: someArePrivate ? userId : null, filters: NO_FILTERS };
}

/** Titles that begin with what was typed come first, then by boost and date; each title once. */
function bestTitles(text: string, rows: readonly TitleRow[]): Suggestion[] {
  const typed = phraseForm(text);
  const ranked = rows
    .map((row) => ({ row, isBeginning: phraseForm(row.semantic_identifier).startsWith(typed) }))
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
function completions(text: string, rows: readonly TitleRow[]): Suggestion[] {
  const begun = /[\p{L}\p{M}\p{N}]+$/u.exec(text)?.[0];
  if (begun === undefined) return [];
  const before = text.slice(0, text.length - begun.length);
  const beginning = phraseForm(begun);
  const counts = new Map<string, number>();
  for (const { semantic_identifier: title } of rows) {
    for (const word of wordsOfTitle(title)) {
      if (word === beginning || !word.startsWith(beginning)) continue;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([a, inA], [b, inB]) => inB - inA || (a < b ? -1 : 1))
    .map(([word]) => ({ kind: 'word', text: before + word, documentId: null, source: null }));
}
