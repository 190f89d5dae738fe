import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { tokenizeWords } from './tokenize.ts';

/** The words of texts that a misspelt word may have meant: letters only, neither stemmed nor in parts of pairs. */
const CORRECTABLE = /^\p{L}{4,31}$/u;
/** A bucket holds the words of a workspace with the same length whose first letters are the same modulo 64. */
const LENGTHS = 32;
const FIRST_LETTERS = 64;

export function bucketOf(firstLetter: string, length: number): number {
  return (
    ((firstLetter.codePointAt(0) ?? 0) % FIRST_LETTERS) * LENGTHS + Math.min(length, LENGTHS - 1)
  );
}

/** The distinct words of `text` that a correction may suggest. */
export function correctableWords(text: string): Set<string> {
  return new Set(tokenizeWords(text).filter((word) => CORRECTABLE.test(word)));
}

/** Adds words to the buckets of a workspace; those that are there already cost no write. */
export async function addWords(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  words: ReadonlySet<string>,
): Promise<void> {
  const added = [...words];
  const buckets = added.map((word) => bucketOf(word, word.length));
  await sql`
    insert into word_bucket (workspace_id, bucket, words)
    select ${workspaceId}, bucket, array_agg(word)
    from unnest(${added}::text[], ${buckets}::smallint[]) as found(word, bucket)
    group by bucket order by bucket
    on conflict (workspace_id, bucket) do update set words = (
      select array_agg(distinct word) from unnest(word_bucket.words || excluded.words) as joined(word))
    where not word_bucket.words @> excluded.words`.execute(trx);
}

/** The words in these buckets of a workspace. */
export async function readWords(
  db: Database,
  workspaceId: WorkspaceId,
  buckets: readonly number[],
): Promise<string[]> {
  const { rows } = await sql<{ words: string[] }>`
    select words from word_bucket
    where workspace_id = ${workspaceId} and bucket = any(${buckets}::smallint[])`.execute(db);
  return rows.flatMap(({ words }) => words);
}
