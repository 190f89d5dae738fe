import { sql } from 'kysely';
import { expect } from 'vitest';
import { readDirectory } from '#src/documents/posting-bytes.ts';
import type { Database } from '#src/platform/database.ts';
import type { ApiClient } from './api-client.ts';
import type { Push } from './push-documents.ts';

/** All faults of the index; each list is empty when nothing is lost, duplicated or left over. */
export async function faultsOf(db: Database): Promise<Record<string, unknown[]>> {
  const faults = {
    unfinished: sql`select external_id, status, error, revision, indexed_revision from document
      where status <> 'indexed' or indexed_revision is distinct from revision`,
    miscounted: sql`select d.external_id, d.chunk_count, c.chunks, c.vectors, c.terms
      from document d cross join lateral (select
        (select count(*)::int from chunk where document_id = d.id) as chunks,
        (select count(*)::int from chunk_vector where document_id = d.id) as vectors,
        (select count(*)::int from chunk_terms where document_id = d.id) as terms) c
      where d.chunk_count < 1 or c.chunks <> d.chunk_count or c.vectors <> d.chunk_count
        or c.terms <> d.chunk_count`,
    outOfOrder: sql`select document_id, array_agg(ordinal order by ordinal) as ordinals from chunk
      group by document_id
      having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1
        or count(distinct ordinal) <> count(*)`,
    orphans: sql`select 'chunk' as what, id from chunk c
        where not exists (select 1 from document where id = c.document_id)
      union all select 'vector', chunk_id from chunk_vector v
        where not exists (select 1 from chunk where id = v.chunk_id and document_id = v.document_id)
      union all select 'planes', chunk_id from chunk_planes p
        where not exists (select 1 from chunk_vector where chunk_id = p.chunk_id)
      union all select 'planes missing', chunk_id from chunk_vector v
        where embedding is null and not exists (select 1 from chunk_planes where chunk_id = v.chunk_id)
      union all select 'terms', chunk_id from chunk_terms t
        where not exists (select 1 from chunk where id = t.chunk_id and document_id = t.document_id)`,
    wronglyCountedTerms: sql`with counted as (
        select workspace_id, term, sum(n)::int as n from (
          select workspace_id, term, n from term_count, unnest(terms, chunks) as counts(term, n)
          union all select workspace_id, term, n from term_delta, unnest(terms, deltas) as changes(term, n)) parts
        group by workspace_id, term having sum(n) <> 0
      ), recounted as (
        select workspace_id, term, count(*)::int as n from (
          select workspace_id, unnest(terms) as term from chunk_terms
          union all select workspace_id, -1 from chunk_terms) parts
        group by workspace_id, term
      )
      select term, c.n as counted, r.n as recounted
      from counted c full join recounted r using (workspace_id, term)
      where c.n is distinct from r.n limit 20`,
  };
  const found = Object.entries(faults).map(async ([name, query]) => {
    const { rows } = await query.execute(db);
    return [name, rows.slice(0, 20)] as const;
  });
  return { ...Object.fromEntries(await Promise.all(found)), unposted: await unposted(db) };
}

/** Chunks that no word search finds: in no segment, or in two. Those that are gone may still be in one. */
async function unposted(db: Database): Promise<unknown[]> {
  const { rows: segments } = await sql<{ directory: Uint8Array }>`
    select directory from posting_segment where ready`.execute(db);
  const times = new Map<number, number>();
  for (const { directory } of segments) {
    for (const id of readDirectory(directory).ids) times.set(id, (times.get(id) ?? 0) + 1);
  }
  const { rows } = await sql<{ chunk_id: number; in_postings: boolean }>`
    select chunk_id, in_postings from chunk_terms order by 1`.execute(db);
  return rows
    .filter(({ chunk_id, in_postings }) => !in_postings || times.get(chunk_id) !== 1)
    .slice(0, 20);
}

export const NO_FAULTS = {
  unfinished: [],
  miscounted: [],
  outOfOrder: [],
  orphans: [],
  wronglyCountedTerms: [],
  unposted: [],
};

/** Checks that each acknowledged document is indexed once and completely; others are absent or complete. */
export async function expectWholeIndex(db: Database, push: Push): Promise<void> {
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
  const { rows } = await sql<{ word: string; holds_word: boolean }>`
    select external_id as word, exists (select 1 from chunk
      where document_id = d.id and text like '%Here stands ' || d.external_id || '.') as holds_word
    from document d`.execute(db);
  const stored = new Set(rows.map(({ word }) => word));
  expect([...push.acknowledged].filter((word) => !stored.has(word))).toEqual([]);
  expect(rows.filter(({ word, holds_word }) => !holds_word || !push.sent.has(word))).toEqual([]);
  expect(rows.length).toBe(stored.size);
}

/** Checks that a search for the word of every fiftieth document finds that document first. */
export async function expectSearchable(client: ApiClient, push: Push): Promise<void> {
  const sample = [...push.acknowledged].filter((_, index) => index % 50 === 0);
  expect(sample.length).toBeGreaterThan(0);
  for (const word of sample) {
    const { body } = await client.call('POST', '/search', { query: word, limit: 3 });
    expect(body.results[0]?.document_id).toBe(word);
  }
}
