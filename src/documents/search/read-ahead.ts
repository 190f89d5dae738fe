import { type RawBuilder, sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { workspaceSalt } from '#src/documents/bm25.ts';
import { privatePairsOfOthers } from '#src/documents/document-access.ts';
import type { LatentBasis } from '#src/documents/latent-basis.ts';
import { type SegmentList, segmentColumns } from '#src/documents/read-postings.ts';
import {
  type TermCount,
  type TermCounts,
  termCountRows,
  toTermCounts,
} from '#src/documents/term-counts.ts';
import type { Database } from '#src/platform/database.ts';
import { type Asked, plainTermIds } from './asked-terms.ts';
import { compoundRows } from './find-compounds.ts';
import { looseWords } from './query-words.ts';
import { askForBasis, type BasisRow } from './read-basis.ts';
import { DEFAULT_RANKING, type RankingSettings, rankingRows } from './search-settings.ts';
import { type Synonym, synonymRows } from './synonyms.ts';

/**
 * What a search reads when it knows no more than its query, in one statement: each by itself would wait for the one
 * before. All of it is one snapshot.
 */
export interface ReadAhead {
  settings: RankingSettings;
  /** Some documents are private to others. */
  someArePrivate: boolean;
  /** Of the query as it was typed. */
  synonyms: Synonym[];
  /** Words of the workspace that begin or end with words of the query as it was typed. */
  compoundWords: string[];
  counts: TermCounts;
  /** Ids of the terms that were counted. */
  counted: ReadonlySet<number>;
  segments: SegmentList;
  basis: LatentBasis | null;
}

interface Row extends SegmentList {
  settings: RankingSettings | null;
  someArePrivate: boolean;
  synonyms: Synonym[];
  compounds: { word: string }[];
  counts: TermCount[];
  basis_id: string | null;
  basis: Uint8Array | null;
}

export async function readAhead(
  db: Database,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  asked: Asked,
): Promise<ReadAhead> {
  const { query } = asked;
  const counted = plainTermIds(asked, workspaceSalt(workspaceId));
  const basis = askForBasis(workspaceId);
  const { rows } = await sql<Row>`
    select (select row_to_json(one) from (${rankingRows(workspaceId)}) one) as settings,
      exists (${privatePairsOfOthers(workspaceId, userId)}) as "someArePrivate",
      ${asJson(synonymRows(workspaceId, new Set([query.looseText])))} as synonyms,
      ${asJson(compoundRows(workspaceId, looseWords(query)))} as compounds,
      ${asJson(termCountRows(workspaceId, counted))} as counts,
      ${segmentColumns(workspaceId)},
      kept.id as basis_id, kept.basis
    from (select) as nothing left join (${basis.rows}) kept on true`.execute(db);
  const [row] = rows;
  return {
    settings: row?.settings ?? DEFAULT_RANKING,
    someArePrivate: row?.someArePrivate ?? true,
    synonyms: row?.synonyms ?? [],
    compoundWords: row?.compounds.map(({ word }) => word) ?? [],
    counts: toTermCounts(row?.counts ?? []),
    counted: new Set(counted),
    segments: { segments: row?.segments ?? [], someAreLoose: row?.someAreLoose ?? false },
    basis: basis.take(basisOf(row)),
  };
}

function basisOf(row: Row | undefined): BasisRow | null {
  return row?.basis_id ? { id: row.basis_id, basis: row.basis } : null;
}

/** The rows of a statement, in their order, as one value; none of a null. */
function asJson(rows: RawBuilder<unknown> | null): RawBuilder<unknown> {
  if (rows === null) return sql`'[]'::json`;
  return sql`(select coalesce(json_agg(one), '[]') from (${rows}) one)`;
}
