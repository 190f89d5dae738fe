import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { stemsOf } from './synonyms.ts';

export const SYNONYMS_PER_STEP = 500;

/**
 * Writes the stems of synonyms that the version before stored, or still stores beside this one.
 * @returns how many; fewer than `SYNONYMS_PER_STEP` when none are left
 */
export async function fillSynonyms(db: Database): Promise<number> {
  const { rows } = await sql<{
    workspace_id: WorkspaceId;
    form: string;
    group_number: number;
    phrase: string;
  }>`
    select workspace_id, form, group_number, phrase from search_synonym
    where stems is null limit ${SYNONYMS_PER_STEP}`.execute(db);
  if (rows.length === 0) return 0;
  const filled = rows.map((row) => ({ ...row, stems: stemsOf(row.phrase) }));
  // Of a list that was replaced meanwhile, only the same phrase in the same place is filled.
  await sql`
    update search_synonym s set stems = x.stems
    from json_to_recordset(${JSON.stringify(filled)}::json)
      as x(workspace_id uuid, form text, group_number int, phrase text, stems text)
    where (s.workspace_id, s.form, s.group_number, s.phrase)
      = (x.workspace_id, x.form, x.group_number, x.phrase)`.execute(db);
  return rows.length;
}
