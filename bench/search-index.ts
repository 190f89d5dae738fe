import { sql } from 'kysely';
import { foldTerms } from '#src/documents/fold-terms.ts';
import { gatherWords, CHUNKS_PER_STEP } from '#src/documents/gather-words.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { mergePostings } from '#src/documents/merge-postings.ts';
import { renewBasis } from '#src/documents/renew-basis.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { componentsOfPlanes } from '#test/support/components-of-planes.ts';
import { VOCABULARY_SEED } from './search-questions.ts';
import { createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const DOCUMENTS_PER_STEP = 256;
const COPIED_AT_ONCE = 1_000;
/** About what is indexed between two runs of `term-fold`. */
const STEPS_PER_FOLD = 10;

/** Accepts and indexes documents as the workers would, until there are `wanted` chunks, with what `term-fold` does. */
export async function fillIndex(
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
    if (seed % STEPS_PER_FOLD === 0) await foldAndMerge(services);
  }
  await foldAndMerge(services);
  while (await renewBasis(services, new AbortController().signal));
  while ((await gatherWords(db)) === CHUNKS_PER_STEP);
  await sql.raw('vacuum analyze').execute(db);
  return pushed;
}

async function foldAndMerge(services: Services): Promise<void> {
  const { db, inBackground } = services;
  const { signal } = new AbortController();
  await foldTerms(services, signal);
  while (await mergePostings(db, inBackground, signal));
}

export async function countChunks({ db }: Services): Promise<number> {
  const { rows } = await sql<{ chunks: number }>`select count(*)::int as chunks from chunk`.execute(
    db,
  );
  return rows[0]?.chunks ?? 0;
}

/**
 * Copies the same rows into the table that a tutorial would create, with the indexes that it would create.
 * @param hasVectorIndex in WASM, making the HNSW index takes longer than all the rest
 */
export async function copyToPlainTable(
  { db, embedder }: Services,
  hasVectorIndex: boolean,
): Promise<void> {
  await sql`create table plain_chunk (id bigint, text text, words tsvector,
    embedding vector(${sql.lit(embedder.dimensions)}))`.execute(db);
  let last: number | undefined = 0;
  while (last !== undefined) last = await copySome(db, last);
  await sql.raw('create index plain_chunk_words on plain_chunk using gin (words)').execute(db);
  if (hasVectorIndex) {
    await db.connection().execute(async (connection) => {
      // The graph of 100,000 vectors of 4 KB must fit, or its making takes ten times as long.
      await sql`set maintenance_work_mem = '1GB'`.execute(connection);
      await sql`set statement_timeout = 0`.execute(connection);
      await sql`create index plain_chunk_nearest on plain_chunk
        using hnsw (embedding vector_cosine_ops)`.execute(connection);
      await sql`reset maintenance_work_mem`.execute(connection);
      await sql`reset statement_timeout`.execute(connection);
    });
  }
  await sql.raw('vacuum analyze plain_chunk').execute(db);
}

/** @returns the id of the last chunk that was copied; nothing if there was none */
async function copySome(db: Services['db'], after: number): Promise<number | undefined> {
  const rows = await db
    .selectFrom('chunk_vector')
    .innerJoin('chunk_planes', 'chunk_planes.chunk_id', 'chunk_vector.chunk_id')
    .select(['chunk_vector.chunk_id', 'bits', 'planes'])
    .where('chunk_vector.chunk_id', '>', after)
    .orderBy('chunk_vector.chunk_id')
    .limit(COPIED_AT_ONCE)
    .execute();
  const ids = rows.map(({ chunk_id }) => chunk_id);
  const vectors = rows.map(({ bits, planes }) =>
    JSON.stringify(componentsOfPlanes({ bits, planes })),
  );
  await sql`insert into plain_chunk
    select c.id, c.text, to_tsvector('english', c.text), v.embedding::vector
    from unnest(${ids}::bigint[], ${vectors}::text[]) v(id, embedding) join chunk c using (id)`.execute(
    db,
  );
  return ids.at(-1);
}

/** Bytes a chunk of what words are searched in, with indexes and what is stored out of line. */
export async function bytesPerChunk(services: Services): Promise<Record<string, number>> {
  const chunks = await countChunks(services);
  const bytesOf = async (...tables: string[]) => {
    const { rows } = await sql<{ bytes: number }>`
      select sum(pg_total_relation_size(name::regclass))::float8 as bytes
      from unnest(${tables}::text[]) as named(name)`.execute(services.db);
    return Math.round((rows[0]?.bytes ?? 0) / chunks);
  };
  return {
    'postings (searched)': await bytesOf('posting_bucket', 'posting_segment'),
    'term counts': await bytesOf('term_count', 'term_delta'),
    'terms of chunks': await bytesOf('chunk_terms'),
  };
}
