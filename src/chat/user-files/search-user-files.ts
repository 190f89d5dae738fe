import { sql } from 'kysely';
import { countTermIds, idf, termWeight, workspaceSalt } from '#src/documents/bm25.ts';
import { blurb, highlight } from '#src/documents/search/highlight.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { StoredFileId, UserFileId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { UserFileOwner } from './user-file-owner.ts';

/** Maximum number of scored passages; a file of 200,000 tokens has about 700. */
const MAX_CANDIDATES = 5_000;
/** Per file, so that one file does not push out all others. */
const MAX_PER_FILE = 5;

interface Candidate {
  file: UserFileId;
  ordinal: number;
  terms: number[];
}

interface ScoredPassage extends Omit<Candidate, 'terms'> {
  score: number;
}

/**
 * The passages of these files that best match the query, by BM25 over these files alone. Files of others, unknown files
 * and files not read yet have none.
 */
export async function searchUserFiles(
  db: Database,
  owner: UserFileOwner,
  search: {
    userFileIds: readonly UserFileId[];
    query: string;
    limit: number;
    signal: AbortSignal;
  },
): Promise<SearchHit[]> {
  const words = tokenize(search.query);
  const query = countTermIds(words, workspaceSalt(owner.workspaceId));
  if (query.size === 0 || search.userFileIds.length === 0) return [];
  const total = await countPassages(db, owner, search.userFileIds);
  const candidates = await findCandidates(db, owner, search.userFileIds, [...query.keys()]);
  search.signal.throwIfAborted();
  const best = chooseBest(scorePassages(candidates, query, total), search.limit);
  return readHits(db, owner, best, words);
}

async function countPassages(
  db: Database,
  owner: UserFileOwner,
  ids: readonly UserFileId[],
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(chunk_count), 0)::int as total from user_file
    where workspace_id = ${owner.workspaceId} and user_id = ${owner.userId}
      and id = any(${ids}::uuid[]) and status = 'COMPLETED'`.execute(db);
  return rows[0]?.total ?? 0;
}

async function findCandidates(
  db: Database,
  owner: UserFileOwner,
  ids: readonly UserFileId[],
  terms: readonly number[],
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select c.user_file_id as file, c.ordinal, to_json(c.terms) as terms
    from user_file_chunk c join user_file f on f.id = c.user_file_id
    where f.workspace_id = ${owner.workspaceId} and f.user_id = ${owner.userId}
      and f.status = 'COMPLETED' and f.id = any(${ids}::uuid[]) and c.terms && ${terms}::int[]
    limit ${MAX_CANDIDATES}`.execute(db);
  return rows;
}

function scorePassages(
  candidates: readonly Candidate[],
  query: ReadonlyMap<number, number>,
  total: number,
): ScoredPassage[] {
  const counted = candidates.map(({ file, ordinal, terms }) => {
    const counts = new Map<number, number>();
    for (const term of terms) {
      if (query.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    return { file, ordinal, counts, length: terms.length };
  });
  const idfOf = new Map(
    [...query.keys()].map((term) => [
      term,
      idf(counted.filter(({ counts }) => counts.has(term)).length, total),
    ]),
  );
  return counted.map(({ file, ordinal, counts, length }) => {
    let score = 0;
    for (const [term, tf] of counts) {
      score += (query.get(term) ?? 0) * (idfOf.get(term) ?? 0) * termWeight(tf, length);
    }
    return { file, ordinal, score };
  });
}

function chooseBest(scored: readonly ScoredPassage[], limit: number): ScoredPassage[] {
  const taken = new Map<UserFileId, number>();
  const best: ScoredPassage[] = [];
  for (const passage of scored.toSorted((a, b) => b.score - a.score || a.ordinal - b.ordinal)) {
    if (best.length >= limit) break;
    const ofFile = taken.get(passage.file) ?? 0;
    if (ofFile >= MAX_PER_FILE) continue;
    taken.set(passage.file, ofFile + 1);
    best.push(passage);
  }
  return best;
}

interface PassageRow {
  id: UserFileId;
  ordinal: number;
  text: string;
  name: string;
  stored_file_id: StoredFileId;
  created_at: Date;
}

async function readHits(
  db: Database,
  owner: UserFileOwner,
  best: readonly ScoredPassage[],
  words: readonly string[],
): Promise<SearchHit[]> {
  const { rows } = await sql<PassageRow>`
    select f.id, c.ordinal, c.text, f.name, f.stored_file_id, f.created_at
    from unnest(${best.map(({ file }) => file)}::uuid[], ${best.map(({ ordinal }) => ordinal)}::int[])
      as wanted(file, ordinal)
    join user_file_chunk c on c.user_file_id = wanted.file and c.ordinal = wanted.ordinal
    join user_file f on f.id = c.user_file_id
    where f.workspace_id = ${owner.workspaceId} and f.user_id = ${owner.userId}`.execute(db);
  const rowOf = new Map(rows.map((row) => [`${row.id} ${row.ordinal}`, row]));
  const highest = best[0]?.score ?? 1;
  return best.flatMap(({ file, ordinal, score }) => {
    const row = rowOf.get(`${file} ${ordinal}`);
    return row ? toHit(row, score / highest, words) : [];
  });
}

function toHit(row: PassageRow, score: number, words: readonly string[]): SearchHit {
  return {
    document_id: row.id,
    chunk_ind: row.ordinal,
    semantic_identifier: row.name,
    link: `/chat/file/${row.stored_file_id}`,
    blurb: blurb(row.text) || row.name,
    source_type: 'user_file',
    boost: 0,
    hidden: false,
    metadata: {},
    score,
    is_relevant: null,
    relevance_explanation: null,
    match_highlights: highlight(row.text, words),
    updated_at: row.created_at.toISOString(),
    primary_owners: null,
    secondary_owners: null,
    is_internet: false,
    text: row.text,
    is_html: false,
    // In a file, each passage counts as a section.
    section_index: row.ordinal,
    start_offset: 0,
    end_offset: row.text.length,
    headings: [],
  };
}
