import { Queue, Worker } from 'bullmq';
import { sql } from 'kysely';
import { toBitPlanes } from '#src/documents/bit-planes.ts';
import { prepareDocument } from '#src/documents/prepare-document.ts';
import { parseConfig } from '#src/platform/config.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type Database, openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { openQueueBackend, type QueueBackend } from '#src/platform/queue-backend.ts';
import { signBits } from '#src/platform/vector.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { median } from './percentile.ts';
import type { SyntheticItem } from './synthetic-documents.ts';

const DIMENSIONS = 1024;
const ROWS_PER_INSERT = 500;
const JOB_CONCURRENCY = 32;
const COPY_ROUNDS = 5;
const WORKSPACE_ID = '00000000-0000-4000-8000-000000000001';

export interface Baselines {
  chunks: number;
  insertSeconds: number;
  copySeconds: number;
  /** Bare BullMQ: empty jobs, added 500 at a time and processed. */
  queueSeconds: number;
  /** Chunking, tokenizing and embedding on one core, without a store. */
  prepareSeconds: number;
}

interface PlainChunk {
  id: number;
  documentId: number;
  text: string;
  vector: Float32Array;
}

/** The best the stores can do: no lexical index, no states, no fences, vectors computed beforehand. */
export async function timeBaselines(items: readonly SyntheticItem[]): Promise<Baselines> {
  prepareChunks(items.slice(0, 200)); // warms up the JIT, as in a long-running service
  const startedMs = performance.now();
  const chunks = prepareChunks(items);
  const prepareSeconds = (performance.now() - startedMs) / 1_000;
  await using opened = new AsyncDisposableStack();
  const { config, log, db, pglite } = await openPlainDatabase(opened);
  await createPlainTables(db);
  const insertSeconds = await timed(() => insertRows(db, items, chunks));
  await createPlainTables(db);
  const copySeconds = await timed(() => copyAllRows(db, items, chunks));
  const backend = await openQueueBackend({
    size: config.size,
    pglite,
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    log,
  });
  opened.defer(() => backend.close());
  const queueSeconds = await timeQueue(backend, items.length);
  return { chunks: chunks.length, insertSeconds, copySeconds, queueSeconds, prepareSeconds };
}

/** A COPY of the prepared rows alone, as in `timeBaselines`. @returns seconds, the median of some rounds */
export async function timeCopy(items: readonly SyntheticItem[]): Promise<number> {
  const chunks = prepareChunks(items);
  await using opened = new AsyncDisposableStack();
  const { db } = await openPlainDatabase(opened);
  const rounds: number[] = [];
  while (rounds.length < COPY_ROUNDS) {
    await createPlainTables(db);
    rounds.push(await timed(() => copyAllRows(db, items, chunks)));
  }
  return median(rounds);
}

async function openPlainDatabase(opened: AsyncDisposableStack) {
  const { settings } = opened.use(await openTestEnvironment());
  const config = parseConfig(settings);
  const log = createLog('error');
  const database = await openDatabase(
    {
      databaseUrl: config.DATABASE_URL ?? null,
      poolSize: 2,
      directory: config.size === 'embedded' ? `${config.DATA_DIR}/baseline` : null,
    },
    log,
  );
  opened.defer(() => database.close());
  const { db, pglite } = database;
  await sql.raw('create extension if not exists vector').execute(db);
  return { config, log, db, pglite };
}

function prepareChunks(items: readonly SyntheticItem[]): PlainChunk[] {
  let id = 0;
  return items.flatMap(({ document }, documentId) => {
    const prepared = prepareDocument({
      workspaceId: WORKSPACE_ID,
      title: document.semantic_identifier,
      sectionsJson: JSON.stringify(
        document.sections.map(({ text }) => ({ text: text ?? '', link: null })),
      ),
      metadata: {},
      dimensions: DIMENSIONS,
    });
    if ('failure' in prepared) throw new Error(prepared.failure);
    return prepared.chunks.map(({ text, vector }) => {
      if (vector === null) throw new Error('There is no vector.');
      id += 1;
      return { id, documentId, text, vector };
    });
  });
}

async function createPlainTables(db: Database): Promise<void> {
  await sql.raw('drop table if exists plain_chunk, plain_document').execute(db);
  await sql
    .raw(
      'create table plain_document (id int primary key, title text not null, text text not null)',
    )
    .execute(db);
  await sql
    .raw(
      `create table plain_chunk (id int primary key, document_id int not null, text text not null,
        embedding halfvec(${DIMENSIONS}), bits bit(${DIMENSIONS}), planes varbit)`,
    )
    .execute(db);
}

/** Inserts as vector stores do: many rows per statement, every vector as text. */
async function insertRows(
  db: Database,
  items: readonly SyntheticItem[],
  chunks: PlainChunk[],
): Promise<void> {
  for (const some of slicesOf([...items.entries()])) {
    const rows = some.map(
      ([id, { document }]) => sql`(${id}, ${document.semantic_identifier}, ${textOf(document)})`,
    );
    await sql`insert into plain_document values ${sql.join(rows)}
      on conflict (id) do update set title = excluded.title, text = excluded.text`.execute(db);
  }
  for (const some of slicesOf(chunks)) {
    const rows = some.map(
      ({ id, documentId, text, vector }) =>
        sql`(${id}, ${documentId}, ${text}, ${JSON.stringify([...vector])})`,
    );
    await sql`insert into plain_chunk values ${sql.join(rows)}
      on conflict (id) do update set text = excluded.text, embedding = excluded.embedding`.execute(
      db,
    );
  }
}

async function copyAllRows(
  db: Database,
  items: readonly SyntheticItem[],
  chunks: PlainChunk[],
): Promise<void> {
  for (const some of slicesOf([...items.entries()])) {
    const copy = new BinaryCopy();
    for (const [id, { document }] of some) {
      copy.row(3).int4(id).text(document.semantic_identifier).text(textOf(document));
    }
    await copyRows(db, 'plain_document', ['id', 'title', 'text'], copy.finish());
  }
  for (const some of slicesOf(chunks)) {
    const copy = new BinaryCopy();
    for (const { id, documentId, text, vector } of some) {
      const planes = toBitPlanes(vector);
      copy.row(5).int4(id).int4(documentId).text(text).bit(signBits(vector), vector.length);
      copy.bit(planes.bits, planes.bitCount);
    }
    await copyRows(
      db,
      'plain_chunk',
      ['id', 'document_id', 'text', 'bits', 'planes'],
      copy.finish(),
    );
  }
}

async function timeQueue(
  { forProducers, forWorkers }: QueueBackend,
  jobs: number,
): Promise<number> {
  const name = 'bench';
  const queue = new Queue(name, forProducers.options, forProducers.factory);
  await queue.waitUntilReady();
  const done = Promise.withResolvers<void>();
  let processed = 0;
  const startedMs = performance.now();
  const worker = new Worker(
    name,
    async () => {
      processed += 1;
      if (processed === jobs) done.resolve();
    },
    { ...forWorkers.options, concurrency: JOB_CONCURRENCY },
    forWorkers.factory,
  );
  worker.on('error', done.reject);
  for (let start = 0; start < jobs; start += ROWS_PER_INSERT) {
    const length = Math.min(ROWS_PER_INSERT, jobs - start);
    const options = { removeOnComplete: true };
    await queue.addBulk(
      Array.from({ length }, (_, at) => ({ name, data: { id: start + at }, opts: options })),
    );
  }
  await done.promise;
  const seconds = (performance.now() - startedMs) / 1_000;
  await worker.close();
  await queue.close();
  return seconds;
}

function* slicesOf<T>(rows: T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    yield rows.slice(start, start + ROWS_PER_INSERT);
  }
}

function textOf(document: SyntheticItem['document']): string {
  return document.sections.map(({ text }) => text ?? '').join('\n\n');
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}
