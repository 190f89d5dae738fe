import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { areShown } from '#src/documents/shown-chunks.ts';
import { SEARCHED_TITLE } from '#src/documents/shown-columns.ts';
import type { Database } from '#src/platform/database.ts';
import type { Candidate } from './find-candidates.ts';
import { ComparedText, conditionTest } from './match-condition.ts';
import type { QueryCondition } from './parse-query.ts';
import { needsText, termCondition } from './query-conditions.ts';

/** Chunks whose text is read for one question, at most: what a phrase costs is bounded whatever it is made of. */
const MAX_READ = 2_000;

/**
 * The candidates that meet all conditions: on the text of passages and titles where the index does not tell, on whole
 * documents for exclusions.
 */
export async function keepMatching(
  db: Database,
  workspaceId: WorkspaceId,
  conditions: readonly QueryCondition[],
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const read = conditions.filter(
    (condition) => needsText(condition) && (condition.isTitle || !condition.isExcluded),
  );
  const fitting = await fittingText(db, workspaceId, read, candidates);
  const excluded = conditions.filter(({ isExcluded, isTitle }) => isExcluded && !isTitle);
  return withoutExcluded(db, workspaceId, excluded, fitting);
}

interface TextRow {
  id: number;
  document_id: DocumentId;
  title: string;
  headings: string[];
  text: string;
  is_html: boolean;
}

/** What a condition names may stand in the passage, in one of its headings or in the title. */
async function fittingText(
  db: Database,
  workspaceId: WorkspaceId,
  conditions: readonly QueryCondition[],
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  if (conditions.length === 0 || candidates.length === 0) return [...candidates];
  const wanted = conditions.map((condition) => ({
    ...condition,
    isIn: conditionTest(condition),
  }));
  const ids = candidates.map(({ chunkId }) => chunkId);
  const rows = await readTexts(db, workspaceId, sql`id = any(${ids}::bigint[])`);
  const fitting = new Set<number>();
  for (const row of rows) {
    const places = placesOf(row);
    const isFit = wanted.every(({ isIn, isTitle, isExcluded }) => {
      const asked = isTitle ? places.slice(0, 1) : places;
      return asked.some(isIn) !== isExcluded;
    });
    if (isFit) fitting.add(row.id);
  }
  return candidates.filter(({ chunkId }) => fitting.has(chunkId));
}

/** A document with an excluded word or phrase in any of its passages goes as a whole. */
async function withoutExcluded(
  db: Database,
  workspaceId: WorkspaceId,
  conditions: readonly QueryCondition[],
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const gone = new Set<DocumentId>();
  for (const condition of conditions) {
    const left = [...new Set(candidates.map(({ documentId }) => documentId))].filter(
      (id) => !gone.has(id),
    );
    if (left.length === 0) continue;
    for (const id of await documentsWith(db, workspaceId, condition, left)) gone.add(id);
  }
  return candidates.filter(({ documentId }) => !gone.has(documentId));
}

async function documentsWith(
  db: Database,
  workspaceId: WorkspaceId,
  condition: QueryCondition,
  documents: readonly DocumentId[],
): Promise<DocumentId[]> {
  const hasTerms = termCondition(workspaceId, condition.text);
  if (hasTerms === null) return [];
  if (!needsText(condition)) {
    const { rows } = await sql<{ document_id: DocumentId }>`
      select distinct document_id from chunk_terms where document_id = any(${documents}::bigint[])
        and ${hasTerms} and ${areShown(workspaceId)}`.execute(db);
    return rows.map((row) => row.document_id);
  }
  const isIn = conditionTest(condition);
  const rows = await readTexts(
    db,
    workspaceId,
    sql`id in (select chunk_id from chunk_terms
    where document_id = any(${documents}::bigint[]) and ${hasTerms}
      and ${areShown(workspaceId)} limit ${MAX_READ})`,
  );
  return rows.filter((row) => placesOf(row).some(isIn)).map((row) => row.document_id);
}

async function readTexts(
  db: Database,
  workspaceId: WorkspaceId,
  which: RawBuilder<unknown>,
): Promise<TextRow[]> {
  const { rows } = await sql<TextRow>`
    with c as materialized (
      select id, document_id, headings, text, is_html from chunk where ${which} limit ${MAX_READ})
    select c.id, c.document_id, ${SEARCHED_TITLE} as title, c.headings,
      c.text, c.is_html
    from c join document d on d.id = c.document_id where d.workspace_id = ${workspaceId}`.execute(
    db,
  );
  return rows;
}

/** The title first. */
function placesOf({ title, headings, text, is_html }: TextRow): ComparedText[] {
  const shown = is_html ? visibleText(text) : text;
  return [title, ...headings, shown].map((place) => new ComparedText(place));
}
