import { sql } from 'kysely';
import { idf } from '#src/documents/bm25.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import { type TermRow, weightsOf } from '#src/documents/term-frequencies.ts';
import type { Database } from '#src/platform/database.ts';

const WORDS = Array.from({ length: 60 }, (_, n) => `w${'abcdefghij'[n % 10]}${n}`);

/** Of any length, with common and rare words; the same for the same numbers. */
export function textOf(number: number, revision: number): string {
  let state = number * 7_919 + revision * 104_729 + 1;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const length = 3 + Math.floor(next() * 60);
  return Array.from({ length }, () => WORDS[Math.floor(next() ** 3 * WORDS.length)]).join(' ');
}

/** Every chunk's score from its row, one by one; the best of them. */
export async function scoreRows(
  db: Database,
  { terms, counts }: { terms: ReadonlyMap<number, number>; counts: TermCounts },
  { source, limit }: { source: string | null; limit: number },
): Promise<{ key: number; score: number }[]> {
  const df = (term: number) => counts.df.get(term) ?? 0;
  const rarestFirst = [...terms].sort(([a], [b]) => df(a) - df(b));
  const { rows } = await sql<TermRow & { chunk_id: number }>`
    select chunk_id, terms, weights::text as weights, frequencies
    from chunk_terms t join document d on d.id = t.document_id
    where ${source}::text is null or d.source = ${source}`.execute(db);
  const scored = rows.map((row) => {
    const weights = weightsOf(row);
    const score = rarestFirst.reduce((sum, [term, times]) => {
      const at = row.terms.indexOf(term);
      if (at === -1) return sum;
      const rarity = times * idf(df(term), counts.chunks);
      return sum + rarity * (weights[at] ?? 0);
    }, 0);
    return { key: row.chunk_id, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.key - b.key)
    .slice(0, limit);
}

/** What a merge does to those who have listed the segments. */
export async function renameSegments(db: Database): Promise<void> {
  await sql`insert into posting_segment (id, workspace_id, chunks, buckets, directory, ready, terms_version)
    select md5(id::text)::uuid, workspace_id, chunks, buckets, directory, ready, terms_version
    from posting_segment`.execute(db);
  await sql`insert into posting_bucket
    select md5(segment_id::text)::uuid, bucket, postings from posting_bucket`.execute(db);
  await sql`delete from posting_segment s where exists (
    select 1 from posting_segment where id = md5(s.id::text)::uuid)`.execute(db);
}
