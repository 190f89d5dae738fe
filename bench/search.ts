import { sql } from 'kysely';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { vectorLiteral } from '#src/platform/vector.ts';
import type { Services } from '#src/services.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import type { BenchOptions } from './bench-options.ts';
import {
  createDocuments,
  createRandom,
  createVocabulary,
  type SyntheticItem,
} from './synthetic-documents.ts';

const CHUNKS = 10_000;
const DOCUMENTS_PER_STEP = 256;
const FOLD_ROWS = 5_000;
const QUERIES = 200;
const WARM_UP_QUERIES = 20;
const RESULTS = 10;
/** One language for all documents, so that its common words appear in most chunks, as in real text. */
const VOCABULARY_SEED = 7;
/** Questions of common words draw from this many of the most frequent words. */
const COMMON_WORDS = 150;

/**
 * Measures the latency of hybrid search, beside two plain searches of the same rows: `ts_rank_cd` over a GIN-indexed
 * tsvector, and an exact cosine scan. Uses questions as people type them, and questions of common words only. On a
 * server with more than `VECTOR_PROMOTE_THRESHOLD` chunks, also measures searches during the build of the vector index.
 */
export async function search(options: BenchOptions): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment());
  await migrateTestDatabase(environment.settings);
  const services = opened.use(await openServices(parseConfig(environment.settings)));
  const account = await ensureBootstrap(services.db, { bootstrapKey: environment.adminKey });
  const wanted = options.chunks ?? CHUNKS;
  const items = await fillIndex(services, account.workspaceId, wanted, options.bytes);
  const chunks = await copyToPlainTable(services);
  const hybrid = (query: string) => searchAs(services, account, query);
  console.log(
    `search: ${chunks} chunks of ${items.length} documents, ${QUERIES} queries one after the other, ${environment.size}`,
  );
  const queries = queriesFrom(items);
  await printTimes(services, 'questions as typed', queries, hybrid);
  await printTimes(services, 'questions of common words', commonQueries(), hybrid);
  if (environment.size !== 'embedded' && chunks > services.config.VECTOR_PROMOTE_THRESHOLD) {
    await printTimesBesideBuild(services, queries, hybrid);
  }
}

type RunQuery = (query: string) => Promise<void>;

async function searchAs(
  services: Services,
  account: { workspaceId: WorkspaceId; userId: UserId },
  query: string,
): Promise<void> {
  const filters = { source_type: [], document_set: [], time_cutoff: null, tags: [] };
  const { signal } = new AbortController();
  await searchDocuments(services, { ...account, query, filters, limit: RESULTS, signal });
}

async function printTimes(
  services: Services,
  title: string,
  queries: readonly string[],
  hybrid: RunQuery,
): Promise<void> {
  const baseline = await timeEach(queries, async (query) => {
    await Promise.all([searchByRank(services, query), searchByCosine(services, query)]);
  });
  const times = {
    'raw SQL, ts_rank_cd': await timeEach(queries, (query) => searchByRank(services, query)),
    'raw SQL, exact cosine': await timeEach(queries, (query) => searchByCosine(services, query)),
    'raw SQL, both at once': baseline,
    'hybrid search': await timeEach(queries, hybrid),
  };
  printRows(title, times, baseline);
}

/** Keeps searching while the index is built; the last searches of the first row may finish after the build. */
async function printTimesBesideBuild(
  services: Services,
  queries: readonly string[],
  hybrid: RunQuery,
): Promise<void> {
  const before = await timeEach(queries, hybrid);
  const startedMs = performance.now();
  const built = promoteVectors(services, new AbortController().signal).then(
    () => performance.now() - startedMs,
  );
  const during = await timeEach(queries, hybrid);
  const duringMs = performance.now() - startedMs;
  const buildMs = await built;
  const after = await timeEach(queries, hybrid);
  printRows(
    `the index was built in ${Math.round(buildMs / 1000)} s, searched beside for ${Math.round(duringMs / 1000)} s`,
    { 'before the build': before, 'while it is built': during, 'through the index': after },
    before,
  );
}

function printRows(title: string, times: Record<string, Percentiles>, baseline: Percentiles): void {
  console.log(title);
  const rows = Object.entries(times).map(([name, { p50, p95, p99 }]) => [
    name,
    {
      'p50 ms': p50,
      'p95 ms': p95,
      'p99 ms': p99,
      'p95 / p50': Math.round((p95 / p50) * 10) / 10,
      'baseline p50 / p50': Math.round((baseline.p50 / p50) * 100) / 100,
    },
  ]);
  console.table(Object.fromEntries(rows));
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
    const items = createDocuments(DOCUMENTS_PER_STEP, bytes, {
      seed,
      vocabularySeed: VOCABULARY_SEED,
      idPrefix: `bench-${seed}`,
    });
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

/** Copies the same rows into the table that a tutorial would create. */
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

/** Two to five consecutive words of a document: some common, some rare, as people type them. */
function queriesFrom(items: readonly SyntheticItem[]): string[] {
  const random = createRandom(99);
  return Array.from({ length: QUERIES }, () => {
    const item = items[Math.floor(random() * items.length)];
    const words = item?.document.sections[0]?.text?.match(/[a-z]{3,}/gi) ?? [];
    const start = Math.floor(random() * Math.max(1, words.length - 5));
    return words.slice(start, start + 2 + Math.floor(random() * 4)).join(' ');
  });
}

/** Two to five of the most frequent words, which match most rows. */
function commonQueries(): string[] {
  const words = createVocabulary(createRandom(VOCABULARY_SEED)).slice(0, COMMON_WORDS);
  const random = createRandom(98);
  return Array.from({ length: QUERIES }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 4) },
      () => words[Math.floor(random() * words.length)],
    ).join(' '),
  );
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
