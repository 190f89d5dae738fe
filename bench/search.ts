import { sql } from 'kysely';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { listSegments } from '#src/documents/read-postings.ts';
import { askedTerms } from '#src/documents/search/asked-terms.ts';
import { plainQuery } from '#src/documents/search/parse-query.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { MAX_SCORED } from '#src/documents/search/search-loose-rows.ts';
import type { SearchScope } from '#src/documents/search/search-scope.ts';
import { searchWords } from '#src/documents/search/search-words.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import type { Services } from '#src/services.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import { inParallel } from './ask-millrace.ts';
import type { BenchOptions } from './bench-options.ts';
import { percentile } from './percentile.ts';
import { bytesPerChunk, copyToPlainTable, countChunks, fillIndex } from './search-index.ts';
import { commonQuestions, QUESTIONS, questionsFrom } from './search-questions.ts';

const CHUNKS = 10_000;
/** Of searches that read every row: with all questions, they would take longer than all the rest. */
const SLOW_QUESTIONS = 40;
const WARM_UP_QUESTIONS = 20;
const RESULTS = 10;
const MOST_RESULTS = 100;
/** Chunks that the half of words gives to a search. */
const LEG_RESULTS = 500;

type Ask = (question: string) => Promise<void>;

interface Asks {
  bare: Ask | null;
  rank: Ask;
  cosine: Ask;
  words: Ask;
  hybrid: Ask;
  hybridOfMost: Ask;
}

/**
 * Measures the latency of hybrid search beside plain searches of the same rows: the HNSW index of pgvector,
 * `ts_rank_cd` over a GIN-indexed tsvector, and an exact cosine scan. Uses questions as people type them, and questions
 * of common words only; one after the other, and 200 at one moment. On a server with more than
 * `VECTOR_PROMOTE_THRESHOLD` chunks, also measures searches during the build of the vector index.
 */
export async function search(options: BenchOptions): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment());
  await migrateTestDatabase(environment.settings);
  const services = opened.use(await openServices(parseConfig(environment.settings)));
  const account = await ensureBootstrap(services.db, { bootstrapKey: environment.adminKey });
  const wanted = options.chunks ?? CHUNKS;
  const items = await fillIndex(services, account.workspaceId, wanted, options.bytes);
  const isServer = environment.size !== 'embedded';
  const chunks = await countChunks(services);
  const typed = questionsFrom(items);
  const common = commonQuestions();
  console.log(
    `search: ${chunks} chunks of ${items.length} documents, ${QUESTIONS} questions one after the other, ${environment.size}`,
  );
  if (isServer && chunks > services.config.VECTOR_PROMOTE_THRESHOLD) {
    await printBesideBuild(services, typed, hybridOf(services, account, RESULTS));
  }
  await copyToPlainTable(services, isServer);
  const asks = await asksOf(services, account, [...typed, ...common], isServer);
  await printTimes('questions as typed', typed, asks);
  await printTimes('questions of common words', common, asks);
  await printAtOneMoment(services, typed, asks);
  console.log('bytes a chunk');
  console.table(await bytesPerChunk(services));
}

interface Account {
  workspaceId: WorkspaceId;
  userId: UserId;
}

async function asksOf(
  services: Services,
  account: Account,
  questions: readonly string[],
  isServer: boolean,
): Promise<Asks> {
  return {
    bare: isServer ? await nearestOf(services, questions) : null,
    rank: (question) => searchByRank(services, question),
    cosine: (question) => searchByCosine(services, question),
    words: await wordsOf(services, account, questions),
    hybrid: hybridOf(services, account, RESULTS),
    hybridOfMost: hybridOf(services, account, MOST_RESULTS),
  };
}

function hybridOf(services: Services, account: Account, limit: number): Ask {
  return async (query) => {
    const { signal } = new AbortController();
    await searchDocuments(services, { ...account, query, filters: NO_FILTERS, limit, signal });
  };
}

/** The half of words alone: what a question asks for and the segments are known, as a search has read them before. */
async function wordsOf(
  services: Services,
  { workspaceId }: Account,
  questions: readonly string[],
): Promise<Ask> {
  const { db, config } = services;
  const scope: SearchScope = {
    workspaceId,
    userId: null,
    filters: NO_FILTERS,
    conditions: [],
    includesHidden: false,
    limit: LEG_RESULTS,
  };
  const segments = await listSegments(db, workspaceId);
  const known = new Map<string, () => Promise<unknown>>();
  for (const question of questions) {
    const asked = await askedTerms(db, workspaceId, { query: plainQuery(question) });
    known.set(question, () =>
      searchWords(db, scope, asked.queryTerms, asked.counts, MAX_SCORED[config.size], segments),
    );
  }
  return async (question) => {
    await known.get(question)?.();
  };
}

/** A bare query of the HNSW index: the vector of a question is known, too. */
async function nearestOf(services: Services, questions: readonly string[]): Promise<Ask> {
  const vectors = new Map<string, string>();
  for (const question of questions) vectors.set(question, await vectorOf(services, question));
  return async (question) => {
    await sql`select id, text from plain_chunk
      order by embedding <=> ${vectors.get(question)}::vector limit ${RESULTS}`.execute(
      services.db,
    );
  };
}

async function searchByRank({ db }: Services, question: string): Promise<void> {
  const anyWord = question.toLowerCase().split(' ').join(' | ');
  await sql`select id, text from plain_chunk, to_tsquery('english', ${anyWord}) query
    where words @@ query order by ts_rank_cd(words, query) desc limit ${RESULTS}`.execute(db);
}

/** The sum keeps the index from serving it. */
async function searchByCosine(services: Services, question: string): Promise<void> {
  await sql`select id, text from plain_chunk
    order by (embedding <=> ${await vectorOf(services, question)}::vector) + 0 limit ${RESULTS}`.execute(
    services.db,
  );
}

async function vectorOf({ embedder }: Services, question: string): Promise<string> {
  const vector = await embedder.embedQuery(question, () => 1, new AbortController().signal);
  return JSON.stringify([...vector]);
}

async function printTimes(
  title: string,
  questions: readonly string[],
  { bare, rank, cosine, words, hybrid, hybridOfMost }: Asks,
): Promise<void> {
  const some = questions.slice(0, SLOW_QUESTIONS);
  const rows: Record<string, Percentiles> = {};
  if (bare) rows['bare HNSW query'] = await timeEach(questions, bare);
  rows['exact cosine'] = await timeEach(some, cosine);
  rows['ts_rank_cd'] = await timeEach(some, rank);
  rows['words alone'] = await timeEach(questions, words);
  rows[`hybrid search, ${RESULTS} hits`] = await timeEach(questions, hybrid);
  rows[`hybrid search, ${MOST_RESULTS} hits`] = await timeEach(questions, hybridOfMost);
  printRows(title, rows);
}

async function printAtOneMoment(
  { config }: Services,
  questions: readonly string[],
  { bare, rank, cosine, hybrid }: Asks,
): Promise<void> {
  const inSequence: Ask = async (question) => {
    await rank(question);
    await cosine(question);
  };
  const took = async (ask: Ask, atOnce: number) => {
    const startedMs = performance.now();
    await inParallel(atOnce, questions, ask);
    return rounded(performance.now() - startedMs, 0);
  };
  // Plain queries wait here for a connection: the pool gives up before the last of the slow ones has its turn.
  const connections = config.DATABASE_POOL_SIZE;
  const baseline = await took(inSequence, connections);
  const all: Record<string, number> = { 'ts_rank_cd, then exact cosine': baseline };
  if (bare) all['bare HNSW query'] = await took(bare, connections);
  all['hybrid search'] = await took(hybrid, questions.length);
  console.log(`${questions.length} questions at one moment`);
  console.table(
    Object.fromEntries(
      Object.entries(all).map(([name, ms]) => [
        name,
        { 'until all are answered, ms': ms, 'of the baseline': rounded(ms / baseline, 2) },
      ]),
    ),
  );
}

/** Keeps searching while the index is built; the last searches of the first row may finish after the build. */
async function printBesideBuild(
  services: Services,
  questions: readonly string[],
  hybrid: Ask,
): Promise<void> {
  const before = await timeEach(questions, hybrid);
  const startedMs = performance.now();
  const built = promoteVectors(services, new AbortController().signal).then(
    () => performance.now() - startedMs,
  );
  const during = await timeEach(questions, hybrid);
  const duringMs = performance.now() - startedMs;
  const buildMs = await built;
  const after = await timeEach(questions, hybrid);
  printRows(
    `the index was built in ${Math.round(buildMs / 1000)} s, searched beside for ${Math.round(duringMs / 1000)} s`,
    { 'before the build': before, 'while it is built': during, 'through the index': after },
  );
}

/** Each beside the first one. */
function printRows(title: string, times: Record<string, Percentiles>): void {
  const [first, beside] = Object.entries(times)[0] ?? [];
  console.log(title);
  const rows = Object.entries(times).map(([name, { p50, p95, p99 }]) => [
    name,
    {
      'p50 ms': p50,
      'p95 ms': p95,
      'p99 ms': p99,
      'p95 / p50': rounded(p95 / p50, 1),
      [`p50 / ${first}`]: rounded(p50 / (beside?.p50 ?? NaN), 2),
    },
  ]);
  console.table(Object.fromEntries(rows));
}

interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

async function timeEach(questions: readonly string[], ask: Ask): Promise<Percentiles> {
  for (const question of questions.slice(0, WARM_UP_QUESTIONS)) await ask(question);
  const times: number[] = [];
  for (const question of questions) {
    const startedMs = performance.now();
    await ask(question);
    times.push(performance.now() - startedMs);
  }
  const at = (share: number) => rounded(percentile(times, share), 2);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
