import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { termId, workspaceSalt } from './bm25.ts';
import { visibleText } from './html-text.ts';
import { SEARCHED_TITLE } from './shown-columns.ts';
import { readTermCounts } from './term-counts.ts';
import { stemWord } from './expand-word.ts';
import { compoundsAmong } from './compound-words.ts';
import { tokenizeWords } from './tokenize.ts';
import { addCompounds, addWords, correctableWords } from './word-buckets.ts';

/** The version before this one has a row of its own, `words_gathered`, and gathers no compounds. */
const FACT = 'compounds_gathered';
/** Tokenizing this many takes some tens of milliseconds of the event loop. */
export const CHUNKS_PER_STEP = 200;
/** A word that left the index stays for at most so long. */
const CHECKED_EVERY = '1 day';

/** How far the words are gathered. Chunk ids come from one sequence; transactions commit in another order. */
interface Progress {
  /** The words of chunks up to this id are gathered. */
  until: number;
  /** Chunks up to this id are committed or never will be, once all transactions before `xid` have ended. */
  horizon: number;
  xid: string;
}

interface ChunkText {
  id: number;
  workspace_id: WorkspaceId;
  title: string;
  headings: string[];
  text: string;
  is_html: boolean;
}

/**
 * Gathers the words of the next chunks, in the order of their ids, into the buckets of the speller and of compounds. It reads what is stored,
 * so it also serves an index that an older version made, and indexing does no work for it.
 * @returns how many chunks were read; fewer than `CHUNKS_PER_STEP` when none are left for now
 */
export async function gatherWords(db: Database): Promise<number> {
  const before = await readProgress(db);
  const progress = before.until < before.horizon ? before : await moveHorizon(db, before);
  if (progress === null) return 0;
  if (!(await haveAllEnded(db, progress.xid))) return 0;
  const chunks = await nextChunks(db, progress);
  const isLast = chunks.length < CHUNKS_PER_STEP;
  const until = isLast ? progress.horizon : (chunks.at(-1)?.id ?? progress.horizon);
  const byWorkspace = Map.groupBy(chunks, (chunk) => chunk.workspace_id);
  await db.transaction().execute(async (trx) => {
    if (!(await advance(trx, progress, { ...progress, until }))) return;
    for (const [workspaceId, own] of byWorkspace) {
      const texts = own.map((chunk) => tokenizeWords(textOf(chunk)));
      await addWords(trx, workspaceId, union(texts.map(correctableWords)));
      await addCompounds(trx, workspaceId, union(texts.map(compoundsAmong)));
    }
  });
  return chunks.length;
}

/**
 * Takes the bucket that was checked longest ago, if that is a day ago, and removes the words that no chunk has any more.
 * Until then they are in the table, but never suggested: a suggestion is looked up in the index first.
 *
 * The bucket stays locked from before the chunks are counted: a word of a chunk that is written meanwhile is gathered
 * afterwards, and thus put back.
 * @returns whether there was one
 */
export async function checkWords(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ workspace_id: WorkspaceId; bucket: number; words: string[] }>`
      select workspace_id, bucket, words from word_bucket
      where checked_at < now() - ${CHECKED_EVERY}::interval
      order by checked_at limit 1 for update skip locked`.execute(trx);
    const [row] = rows;
    if (!row) return false;
    const salt = workspaceSalt(row.workspace_id);
    const idOf = (word: string) => termId(stemWord(word), salt);
    const { df } = await readTermCounts(trx, row.workspace_id, row.words.map(idOf));
    const kept = row.words.filter((word) => df.has(idOf(word)));
    await sql`update word_bucket set checked_at = now(), words = ${kept}::text[]
      where workspace_id = ${row.workspace_id} and bucket = ${row.bucket}`.execute(trx);
    return true;
  });
}

async function readProgress(db: Database): Promise<Progress> {
  const row = await db
    .selectFrom('deployment_fact')
    .select('value')
    .where('name', '=', FACT)
    .executeTakeFirstOrThrow();
  // Written only here and by the migration.
  return row.value as Progress;
}

/**
 * The last id first, then the transactions: whoever took an id up to it has begun by then.
 * @returns null if there are no new chunks, or another worker is at it
 */
async function moveHorizon(db: Database, progress: Progress): Promise<Progress | null> {
  const { rows: ids } = await sql<{ last: number }>`
    select case when is_called then last_value else 0 end as last from chunk_id`.execute(db);
  const horizon = ids[0]?.last ?? 0;
  if (horizon <= progress.horizon) return null;
  const { rows } = await sql<{ xid: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as xid`.execute(db);
  const moved = { ...progress, horizon, xid: rows[0]?.xid ?? '0' };
  return (await advance(db, progress, moved)) ? moved : null;
}

/** A number that this server has yet to give is of the server that a backup came from: nothing of it runs here. */
async function haveAllEnded(db: Database, xid: string): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`
    select pg_snapshot_xmin(now_running)::text::bigint >= ${xid}::bigint
      or pg_snapshot_xmax(now_running)::text::bigint < ${xid}::bigint as ended
    from pg_current_snapshot() as now_running`.execute(db);
  return rows[0]?.ended === true;
}

/** @returns false if another worker went on meanwhile */
async function advance(db: Database, from: Progress, to: Progress): Promise<boolean> {
  const { rows } = await sql`update deployment_fact set value = ${JSON.stringify(to)}::json
    where name = ${FACT} and value::jsonb = ${JSON.stringify(from)}::jsonb returning 1`.execute(db);
  return rows.length > 0;
}

async function nextChunks(db: Database, { until, horizon }: Progress): Promise<ChunkText[]> {
  const { rows } = await sql<ChunkText>`
    with c as materialized (
      select id, workspace_id, document_id, headings, text, is_html from chunk
      where id > ${until} and id <= ${horizon} order by id limit ${CHUNKS_PER_STEP})
    select c.id, c.workspace_id, ${SEARCHED_TITLE} as title, c.headings, c.text, c.is_html
    from c join document d on d.id = c.document_id order by c.id`.execute(db);
  return rows;
}

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

function textOf({ title, headings, text, is_html }: ChunkText): string {
  return [title, ...headings, is_html ? visibleText(text) : text].join('\n');
}
