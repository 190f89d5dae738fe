import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { searchVectors } from '#src/documents/search/search-vectors.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { createLog } from '#src/platform/log.ts';
import { openPool } from '#src/platform/postgres.ts';
import type { Services } from '#src/services.ts';
import type { Tables } from '#src/tables/tables.ts';
import { openTestEnvironment } from './test-environment.ts';
import { migrateTestDatabase } from './test-millrace.ts';

/** Vectors on a server, without workers: the test promotes them itself and inspects the query plans of its searches. */
export interface VectorStage extends AsyncDisposable {
  readonly services: Services;
  /** For a separate process over the same rows. */
  readonly settings: Record<string, string>;
  ingest(from: number, to: number): Promise<void>;
  search(query: string): Promise<SearchSeen>;
  /** The chunk ids that the half of vectors finds in a workspace, by default the first, however far from the query. */
  nearest(query: string, workspace?: WorkspaceId): Promise<number[]>;
  /** Keeps a snapshot open until it is disposed of; a concurrent index build waits for it. */
  holdSnapshot(): Promise<AsyncDisposable>;
  /** The server processes that are building an index now. */
  builders(): Promise<{ pid: number; phase: string }[]>;
  indexes(): Promise<{ name: string; valid: boolean }[]>;
}

export interface SearchSeen {
  hits: { id: string; score: number | null }[];
  /** Vectors that the search read, instead of their sign bits alone. */
  comparedExactly: number;
  /** HNSW indexes that the search used. */
  usedIndexes: string[];
  /** Whether the words were looked up by a scan of the whole table. */
  scansWords: boolean;
}

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  Plans?: PlanNode[];
}

export async function openVectorStage(threshold: number): Promise<VectorStage> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(
    await openTestEnvironment({ VECTOR_PROMOTE_THRESHOLD: String(threshold) }),
  );
  await migrateTestDatabase(environment.settings);
  const services = opened.use(await openServices(parseConfig(environment.settings)));
  const { workspaceId, userId } = await ensureBootstrap(services.db, { bootstrapKey: null });
  const { DATABASE_DIRECT_URL, DATABASE_URL } = services.config;
  const directUrl = DATABASE_DIRECT_URL ?? DATABASE_URL ?? '';
  const seen: CompiledQuery[] = [];
  const pool = openPool(directUrl, 6, createLog('silent'));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void seen.push(query),
  });
  opened.defer(() => db.destroy());
  const held = opened.use(new AsyncDisposableStack());
  const resources = opened.move();
  return {
    services,
    settings: environment.settings,
    async ingest(from, to) {
      const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
      const items = Array.from({ length: to - from }, (_, n) => documentNumber(from + n));
      await Promise.all(
        items.map((item) =>
          services.documentAcceptor.accept(
            toIncomingDocument(ingestionItemSchema.parse(item), context),
          ),
        ),
      );
      const { rows } = await sql<{ id: DocumentId }>`
        select id from document where status = 'accepted'`.execute(services.db);
      const ids = rows.map(({ id }) => id);
      await indexDocuments(services, ids, new AbortController().signal);
      await foldTermDeltas(services.db, 100_000);
    },
    async search(query) {
      seen.length = 0;
      const hits = await searchDocuments(
        { ...services, db },
        {
          workspaceId,
          userId,
          query,
          filters: { source_type: [], document_set: [], time_cutoff: null, tags: [] },
          limit: 10,
          signal: new AbortController().signal,
        },
      );
      const sent = [...seen];
      const nodes = await planNodes(db, sent, { settings: 'hnsw.', reads: 'from chunk_vector ' });
      // Not the look whether any row is without postings, which may read the table up to its first.
      const lookup = { settings: 'enable_', reads: 'from chunk_terms where terms' };
      const wordNodes = await planNodes(db, sent, lookup);
      return {
        hits: hits.map(({ document_id, score }) => ({ id: document_id, score })),
        comparedExactly: nodes[0]?.['Actual Rows'] ?? 0,
        usedIndexes: nodes
          .flatMap((node) => node['Index Name'] ?? [])
          .filter((name) => name.startsWith('chunk_vector_promoted'))
          .toSorted(),
        scansWords: wordNodes.some(
          (node) =>
            node['Relation Name'] === 'chunk_terms' && node['Node Type'].includes('Seq Scan'),
        ),
      };
    },
    async nearest(query, workspace = workspaceId) {
      const vector = await services.embedder.embedQuery(
        query,
        () => 1,
        new AbortController().signal,
      );
      const found = await searchVectors(
        services,
        {
          workspaceId: workspace,
          userId: null,
          filters: NO_FILTERS,
          conditions: [],
          includesHidden: false,
          limit: 10_000,
        },
        vector,
        threshold + 1,
      );
      return found.map(({ key }) => key);
    },
    async holdSnapshot() {
      const client = await pool.connect();
      await client.query('begin isolation level repeatable read');
      await client.query('select 1');
      // Ending the connection ends its snapshot, at the latest when the test fails.
      return held.use(onceDisposed(async () => client.release(true)));
    },
    async builders() {
      const { rows } = await sql<{ pid: number; phase: string }>`
        select pid, phase from pg_stat_progress_create_index
        where datname = current_database()`.execute(services.db);
      return rows;
    },
    async indexes() {
      const { rows } = await sql<{ name: string; valid: boolean }>`
        select c.relname::text as name, i.indisvalid as valid
        from pg_index i join pg_class c on c.oid = i.indexrelid
        where c.relname like 'chunk_vector_promoted%' order by 1`.execute(services.db);
      return rows;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function onceDisposed(end: () => Promise<void>): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.defer(end);
  return stack;
}

function documentNumber(n: number) {
  return {
    document: {
      id: `vector-${n}`,
      semantic_identifier: `Vector ${n}`,
      sections: [{ text: `Report ${n} is about subject${n}, with a remark on topic${n % 97}.` }],
    },
  };
}

/** Runs those of the search's queries that read something again, under EXPLAIN and with the settings of that half. */
async function planNodes(
  db: Kysely<Tables>,
  sent: CompiledQuery[],
  half: { settings: string; reads: string },
): Promise<PlanNode[]> {
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.execute(async (trx) => {
    // For so few vectors the planner would prefer a sort to the index; past the real threshold it would not.
    await sql`set local enable_sort = off`.execute(trx);
    const nodes: PlanNode[] = [];
    for (const query of sent) {
      if (query.sql.includes(`set_config('${half.settings}`)) await trx.executeQuery(query);
      if (!query.sql.replaceAll(/\s+/g, ' ').includes(half.reads)) continue;
      const explained = CompiledQuery.raw(`explain (analyze, verbose, format json) ${query.sql}`, [
        ...query.parameters,
      ]);
      const { rows } = await trx.executeQuery(explained);
      // The shape that Postgres documents for EXPLAIN's JSON.
      for (const row of rows as { 'QUERY PLAN': { Plan: PlanNode }[] }[]) {
        nodes.push(...row['QUERY PLAN'].flatMap(({ Plan }) => withChildren(Plan)));
      }
    }
    return nodes;
  });
}

function withChildren(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withChildren)];
}
