import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { type CompoundPart, KEY_LENGTH } from './compound-words.ts';
import { hash32 } from './hash-text.ts';

/** The words of texts that a misspelt word may have meant: letters only, neither stemmed nor in parts of pairs. */
const CORRECTABLE = /^\p{L}{4,31}$/u;
/** A bucket holds the words of a workspace with the same length whose first letters are the same modulo 64. */
const LENGTHS = 32;
const FIRST_LETTERS = 64;
/**
 * Behind those: two buckets of each compound, by its first letters and by its last. So many that new words rewrite a
 * small part of the table, and so few that they are no more rows than the workspace has chunks.
 */
const COMPOUND_BUCKETS = 1_024;
const BEGINNINGS = FIRST_LETTERS * LENGTHS;
const ENDINGS = BEGINNINGS + COMPOUND_BUCKETS;

export function bucketOf(firstLetter: string, length: number): number {
  return (
    ((firstLetter.codePointAt(0) ?? 0) % FIRST_LETTERS) * LENGTHS + Math.min(length, LENGTHS - 1)
  );
}

/** Those of these words that a correction may suggest. */
export function correctableWords(words: readonly string[]): Set<string> {
  return new Set(words.filter((word) => CORRECTABLE.test(word)));
}

/** Adds words to the buckets of a workspace; those that are there already cost no write. */
export async function addWords(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  words: ReadonlySet<string>,
): Promise<void> {
  await addToBuckets(trx, workspaceId, words, (word) => [bucketOf(word, word.length)]);
}

/** Adds compounds to the buckets by which they are looked up. */
export async function addCompounds(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  compounds: ReadonlySet<string>,
): Promise<void> {
  await addToBuckets(trx, workspaceId, compounds, (compound) => [
    beginningBucket(compound),
    endingBucket(compound),
  ]);
}

async function addToBuckets(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  words: ReadonlySet<string>,
  bucketsOf: (word: string) => number[],
): Promise<void> {
  const placed = [...words].flatMap((word) => bucketsOf(word).map((bucket) => ({ word, bucket })));
  if (placed.length === 0) return;
  await sql`
    insert into word_bucket (workspace_id, bucket, words)
    select ${workspaceId}, bucket, array_agg(word)
    from unnest(${placed.map(({ word }) => word)}::text[],
      ${placed.map(({ bucket }) => bucket)}::smallint[]) as found(word, bucket)
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

/** Compounds that begin or end with one of these parts, the shortest first. */
export function compoundWordRows(
  workspaceId: WorkspaceId,
  parts: readonly CompoundPart[],
  limit: number,
): RawBuilder<{ word: string }> {
  const asked = parts.flatMap(({ beginnings, endings }) => [
    ...beginnings.map((form) => ({ bucket: beginningBucket(form), pattern: `${form}%` })),
    ...endings.map((form) => ({ bucket: endingBucket(form), pattern: `%${form}` })),
  ]);
  return sql<{ word: string }>`
    select word from (
      select distinct word
      from unnest(${asked.map(({ bucket }) => bucket)}::smallint[],
        ${asked.map(({ pattern }) => pattern)}::text[]) as asked(bucket, pattern)
      join word_bucket using (bucket), unnest(words) as word
      where workspace_id = ${workspaceId} and word like pattern) found
    order by length(word), word limit ${limit}`;
}

function beginningBucket(compound: string): number {
  return BEGINNINGS + (hash32(compound.slice(0, KEY_LENGTH), 0) % COMPOUND_BUCKETS);
}

function endingBucket(compound: string): number {
  return ENDINGS + (hash32(compound.slice(-KEY_LENGTH), 0) % COMPOUND_BUCKETS);
}
