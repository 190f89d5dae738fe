import { sql } from 'kysely';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { searchDocuments } from '#src/documents/search.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { vectorLiteral } from '#src/platform/vector.ts';
import type { Services } from '#src/services.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import type { BenchOptions } from './bench-options.ts';
import { createDocuments, createRandom, type SyntheticItem } from './synthetic-documents.ts';

const CHUNKS = 10_000;
const DOCUMENTS_PER_STEP = 256;
const FOLD_ROWS = 5_000;
const QUERIES = 200;
const WARM_UP_QUERIES = 20;
const RESULTS = 10;

/**
 * Prints how long a hybrid search takes, beside the two plain ways of searching the same rows:
 * `ts_rank_cd` over a GIN-indexed tsvector, and an exact scan by cosine.
 */
export async function search(options: BenchOptions): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment());
  await migrateTestDatabase(environment.settings);
  const services = opened.use(await openServices(parseConfig(environment.settings)));
  const { workspaceId, userId } = await ensureBootstrap(services.db, {
    bootstrapKey: environment.adminKey,
  });
  const wanted = options.chunks ?? CHUNKS;
  const items = await fillIndex(services, workspaceId, wanted, options.bytes);
  const chunks = await copyToPlainTable(services);
  const queries = queriesFrom(items);
  const baseline = await timeEach(queries, async (query) => {
    await Promise.all([searchByRank(services, query), searchByCosine(services, query)]);
  });
  const rowOf = (times: Percentiles) => ({
    'p50 ms': times.p50,
    'p95 ms': times.p95,
    'p99 ms': times.p99,
    'vs both p50': Math.round((baseline.p50 / times.p50) * 100) / 100,
  });
  const signal = new AbortController().signal;
  const hybrid = await timeEach(queries, async (query) => {
    const filters = { source_type: [], document_set: [], time_cutoff: null, tags: [] };
    await searchDocuments(services, {
      workspaceId,
      userId,
      query,
      filters,
      limit: RESULTS,
      signal,
    });
  });
  console.log(
    `search: ${chunks} chunks of ${items.length} documents, ${QUERIES} queries one after the other, ${environment.size}`,
  );
  console.table({
    'raw SQL, ts_rank_cd': rowOf(await timeEach(queries, (q) => searchByRank(services, q))),
    'raw SQL, exact cosine': rowOf(await timeEach(queries, (q) => searchByCosine(services, q))),
    'raw SQL, both at once': rowOf(baseline),
    'hybrid search': rowOf(hybrid),
  });
}

/** Accepts and indexes documents as the workers would, until there are `wanted` chunks. */
async function fillIndex(
  services: Services,
  workspaceId: WorkspaceId,
  wanted: number,
  bytes: number,
): Promise<SyntheticItem[]> {
  const { db, documentAcceptor, config } = services;
  const pushed: SyntheticItem[] = [];
  for (let seed = 1; (await countChunks(services)) < wanted; seed += 1) {
    const items = createDocuments(DOCUMENTS_PER_STEP, bytes, { seed, idPrefix: `bench-${seed}` });
    const context = {
      workspaceId,
      writer: null,
      requestId: null,
      maxBytes: config.MAX_DOCUMENT_BYTES,
    };
    await Promise.all(
      items.map((item) =>
        documentAcceptor.accept(toIncomingDocument(ingestionItemSchema.parse(item), context)),
      ),
    );
    const { rows } = await sql<{ id: DocumentId }>`
      select id from document where status = 'accepted'`.execute(db);
    const ids = rows.map(({ id }) => id);
    await indexDocuments(services, ids, new AbortController().signal, Infinity);
    pushed.push(...items);
  }
  while ((await foldTermDeltas(db, FOLD_ROWS)) === FOLD_ROWS);
  await sql.raw('vacuum analyze').execute(db);
  return pushed;
}

async function countChunks({ db }: Services): Promise<number> {
  const { rows } = await sql<{ chunks: number }>`select count(*)::int as chunks from chunk`.execute(
    db,
  );
  return rows[0]?.chunks ?? 0;
}

/** The same rows in the table that a tutorial would make of them. */
async function copyToPlainTable(services: Services): Promise<number> {
  await sql`create table plain_chunk as
    select c.id, c.text, to_tsvector('english', c.text) as words,
      v.embedding::vector(${sql.lit(services.embedder.dimensions)}) as embedding
    from chunk c join chunk_vector v on v.chunk_id = c.id`.execute(services.db);
  await sql
    .raw('create index plain_chunk_words on plain_chunk using gin (words)')
    .execute(services.db);
  await sql.raw('vacuum analyze plain_chunk').execute(services.db);
  return countChunks(services);
}

/** Two to five neighbouring words of a document: some common, some rare, as people type them. */
function queriesFrom(items: readonly SyntheticItem[]): string[] {
  const random = createRandom(99);
  return Array.from({ length: QUERIES }, () => {
    const item = items[Math.floor(random() * items.length)];
    const words = item?.document.sections[0]?.text?.match(/[a-z]{3,}/gi) ?? [];
    const start = Math.floor(random() * Math.max(1, words.length - 5));
    return words.slice(start, start + 2 + Math.floor(random() * 4)).join(' ');
  });
}

async function searchByRank({ db }: Services, query: string): Promise<void> {
  const anyWord = query.toLowerCase().split(' ').join(' | ');
  await sql`select id, text from plain_chunk, to_tsquery('english', ${anyWord}) query
    where words @@ query order by ts_rank_cd(words, query) desc limit ${RESULTS}`.execute(db);
}

async function searchByCosine({ db, embedder }: Services, query: string): Promise<void> {
  const vector = await embedder.embedQuery(query, () => 1, new AbortController().signal);
  await sql`select id, text from plain_chunk
    order by embedding <=> ${vectorLiteral(vector)}::vector limit ${RESULTS}`.execute(db);
}

interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

async function timeEach(
  queries: readonly string[],
  run: (query: string) => Promise<void>,
): Promise<Percentiles> {
  for (const query of queries.slice(0, WARM_UP_QUERIES)) await run(query);
  const times: number[] = [];
  for (const query of queries) {
    const startedMs = performance.now();
    await run(query);
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round((times[Math.ceil(times.length * share) - 1] ?? NaN) * 100) / 100;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
