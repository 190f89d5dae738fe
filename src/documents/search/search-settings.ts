import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { RecencyBias } from '#src/tables/documents.ts';
import { readSynonymGroups, replaceSynonyms } from './synonyms.ts';

/** What a request leaves open is taken from here. */
export interface RankingSettings {
  recencyBias: RecencyBias;
  /** Weight of the vectors, 0 to 1; null leaves it to the embedder. */
  hybridAlpha: number | null;
}

export interface SearchSettings extends RankingSettings {
  /** Groups of phrases that mean the same. */
  synonyms: string[][];
}

export const DEFAULT_RANKING: RankingSettings = { recencyBias: 'auto', hybridAlpha: null };

async function readRankingSettings(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<RankingSettings> {
  const { rows } = await rankingRows(workspaceId).execute(db);
  return rows[0] ?? DEFAULT_RANKING;
}

export function rankingRows(workspaceId: WorkspaceId): RawBuilder<RankingSettings> {
  return sql<RankingSettings>`
    select recency_bias as "recencyBias", hybrid_alpha as "hybridAlpha" from search_settings
    where workspace_id = ${workspaceId}`;
}

export async function readSearchSettings(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<SearchSettings> {
  const ranking = await readRankingSettings(db, workspaceId);
  return { ...ranking, synonyms: await readSynonymGroups(db, workspaceId) };
}

/** Changes what is given, from the next search on; the rest stays. */
export async function changeSearchSettings(
  db: Database,
  workspaceId: WorkspaceId,
  change: Partial<SearchSettings>,
): Promise<SearchSettings> {
  await db.transaction().execute(async (trx) => {
    const { recencyBias, hybridAlpha } = { ...DEFAULT_RANKING, ...change };
    // Compared within the statement: somebody else may change the other one at this moment.
    await sql`
      insert into search_settings as s (workspace_id, recency_bias, hybrid_alpha)
      values (${workspaceId}, ${recencyBias}, ${hybridAlpha})
      on conflict (workspace_id) do update set
        recency_bias = case when ${'recencyBias' in change}::boolean then excluded.recency_bias else s.recency_bias end,
        hybrid_alpha = case when ${'hybridAlpha' in change}::boolean then excluded.hybrid_alpha else s.hybrid_alpha end`.execute(
      trx,
    );
    if (change.synonyms) await replaceSynonyms(trx, workspaceId, change.synonyms);
  });
  return readSearchSettings(db, workspaceId);
}
