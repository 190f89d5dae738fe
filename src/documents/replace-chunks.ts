import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type Database, type DatabaseTransaction } from '#src/platform/database.ts';
import { signBits, toHalfBits } from '#src/platform/vector.ts';
import type { ToDeliver } from '#src/webhooks/emit-event.ts';
import { announceDocuments } from './announce-documents.ts';
import { TERM_SPACE } from './bm25.ts';
import type { ClaimedDocument } from './claim-documents.ts';
import { assertModelIsCurrent } from './embedding-model.ts';
import type { PreparedChunk } from './prepare-document.ts';
import { deleteChunks } from './delete-documents.ts';
import { TermDeltas } from './term-counts.ts';

/** A chunk and where its row comes from: the one it had (`keptId`), or a new one with this vector. */
export type PlacedChunk = { chunk: PreparedChunk } & (
  | { keptId: number; vector: null }
  | { keptId: null; vector: Float32Array }
);

export interface IndexedDocument {
  document: ClaimedDocument;
  chunks: PlacedChunk[];
}

/** Rows of chunks that a document has now, by the hash of their indexed text. */
export type StoredChunks = Map<DocumentId, Map<string, number[]>>;

interface NewChunk {
  id: number;
  document: ClaimedDocument;
  chunk: PreparedChunk;
  vector: Float32Array;
}

/** The chunks that are stored for documents that were indexed before. */
export async function storedChunks(
  db: Database,
  documents: ClaimedDocument[],
): Promise<StoredChunks> {
  const stored: StoredChunks = new Map();
  const known = documents.filter((document) => document.indexed_revision !== null);
  if (known.length === 0) return stored;
  const { rows } = await sql<{ id: number; document_id: DocumentId; hash: string }>`
    select id, document_id, encode(hash, 'hex') as hash from chunk
    where document_id = any(${known.map((document) => document.id)}::bigint[])
    order by document_id, ordinal`.execute(db);
  for (const row of rows) {
    const byHash = stored.get(row.document_id) ?? new Map<string, number[]>();
    stored.set(row.document_id, byHash);
    byHash.set(row.hash, [...(byHash.get(row.hash) ?? []), row.id]);
  }
  return stored;
}

/**
 * Replaces the documents' chunks in one transaction: what is unchanged keeps its row and vector,
 * what is new is loaded with COPY, what is gone is deleted. Documents whose claim was lost meanwhile
 * (edited, deleted, taken over) are left alone. The old chunks are searchable until the commit.
 * @returns for `sendDeliveries`: who is told of it
 */
export async function replaceChunks(
  db: Database,
  model: string,
  token: string,
  indexed: IndexedDocument[],
): Promise<ToDeliver> {
  return db.transaction().execute(async (trx) => {
    const held = await lockHeldDocuments(trx, token, indexed);
    await assertModelIsCurrent(trx, model);
    const current = indexed.filter(({ document }) => held.has(document.id));
    if (current.length === 0) return [];
    const deltas = new TermDeltas();
    await deleteGoneChunks(trx, current, deltas);
    await moveKeptChunks(trx, current);
    await insertNewChunks(trx, await numberNewChunks(trx, current), deltas);
    await deltas.write(trx);
    await markIndexed(trx, current);
    const documents = current.map(({ document }) => document);
    return announceDocuments(trx, 'document.indexed', documents);
  });
}

/** Row locks until the commit; the fence against older revisions. */
async function lockHeldDocuments(
  trx: DatabaseTransaction,
  token: string,
  indexed: IndexedDocument[],
): Promise<Set<DocumentId>> {
  const ids = indexed.map(({ document }) => document.id);
  const { rows } = await sql<{ id: DocumentId; revision: number }>`
    select id, revision from document
    where id = any(${ids}::bigint[]) and claim_token = ${token} and status = 'indexing'
    order by workspace_id, external_id for update`.execute(trx);
  const revisions = new Map(rows.map((row) => [row.id, row.revision]));
  return new Set(
    indexed
      .filter(({ document }) => revisions.get(document.id) === document.revision)
      .map(({ document }) => document.id),
  );
}

async function deleteGoneChunks(
  trx: DatabaseTransaction,
  current: IndexedDocument[],
  deltas: TermDeltas,
): Promise<void> {
  const known = current.filter(({ document }) => document.indexed_revision !== null);
  if (known.length === 0) return;
  const kept = known.flatMap(({ chunks }) => chunks.flatMap(({ keptId }) => keptId ?? []));
  const { rows } = await sql<{ id: number }>`
    select id from chunk where document_id = any(${known.map(({ document }) => document.id)}::bigint[])
      and not id = any(${kept}::bigint[])`.execute(trx);
  await deleteChunks(
    trx,
    rows.map((row) => row.id),
    deltas,
  );
}

async function moveKeptChunks(trx: DatabaseTransaction, current: IndexedDocument[]): Promise<void> {
  const moved = current.flatMap(({ chunks }) =>
    chunks.flatMap(({ chunk, keptId }) =>
      keptId === null ? [] : { id: keptId, ...placeOf(chunk) },
    ),
  );
  if (moved.length === 0) return;
  await sql`
    update chunk c set ordinal = x.ordinal, section_index = x."sectionIndex",
      start_offset = x.start, end_offset = x."end", text = x.text, is_html = x."isHtml", headings = x.headings, link = x.link
    from json_to_recordset(${JSON.stringify(moved)}::json) as x(id bigint, ordinal int,
      "sectionIndex" int, start int, "end" int, text text, "isHtml" boolean, headings json, link text)
    where c.id = x.id`.execute(trx);
}

function placeOf({
  ordinal,
  sectionIndex,
  start,
  end,
  text,
  isHtml,
  headings,
  link,
}: PreparedChunk) {
  return { ordinal, sectionIndex, start, end, text, isHtml, headings, link };
}

async function numberNewChunks(
  trx: DatabaseTransaction,
  current: IndexedDocument[],
): Promise<NewChunk[]> {
  const fresh = current.flatMap(({ document, chunks }) =>
    chunks.flatMap(({ chunk, vector }) => (vector === null ? [] : { document, chunk, vector })),
  );
  if (fresh.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    select nextval('chunk_id') as id from generate_series(1, ${fresh.length}::int)`.execute(trx);
  return fresh.map((one, index) => ({ ...one, id: rows[index]?.id ?? 0 }));
}

async function insertNewChunks(
  trx: DatabaseTransaction,
  fresh: NewChunk[],
  deltas: TermDeltas,
): Promise<void> {
  if (fresh.length === 0) return;
  const texts = new BinaryCopy();
  const vectors = new BinaryCopy();
  const terms = new BinaryCopy();
  for (const { id, document, chunk, vector } of fresh) {
    writeText(texts, id, document, chunk);
    keyFields(vectors.row(6), id, document)
      .bit(signBits(vector), vector.length)
      .halfvec(toHalfBits(vector))
      .bool(false);
    keyFields(terms.row(5), id, document)
      .int4Array(chunk.termIds)
      .sparsevec(TERM_SPACE, chunk.termIds, chunk.termWeights);
    deltas.add(document.workspace_id, chunk.termIds, 1);
  }
  await copyRows(trx, 'chunk', CHUNK_COLUMNS, texts.finish());
  await copyRows(trx, 'chunk_vector', VECTOR_COLUMNS, vectors.finish());
  await copyRows(trx, 'chunk_terms', TERMS_COLUMNS, terms.finish());
}

const KEY_COLUMNS = ['chunk_id', 'workspace_id', 'document_id'];
const VECTOR_COLUMNS = [...KEY_COLUMNS, 'bits', 'embedding', 'promoted'];
const TERMS_COLUMNS = [...KEY_COLUMNS, 'terms', 'weights'];
const CHUNK_COLUMNS = [
  'id',
  'workspace_id',
  'document_id',
  'ordinal',
  'section_index',
  'start_offset',
  'end_offset',
  'text',
  'is_html',
  'headings',
  'link',
  'hash',
  'token_count',
];

function keyFields(
  copy: BinaryCopy,
  id: number,
  document: { id: DocumentId; workspace_id: WorkspaceId },
): BinaryCopy {
  return copy.int8(id).uuid(document.workspace_id).int8(document.id);
}

function writeText(copy: BinaryCopy, id: number, document: ClaimedDocument, chunk: PreparedChunk) {
  keyFields(copy.row(CHUNK_COLUMNS.length), id, document)
    .int4(chunk.ordinal)
    .int4(chunk.sectionIndex)
    .int4(chunk.start)
    .int4(chunk.end)
    .text(chunk.text)
    .bool(chunk.isHtml)
    .text(JSON.stringify(chunk.headings));
  if (chunk.link === null) copy.null();
  else copy.text(chunk.link);
  copy.bytea(Buffer.from(chunk.hash, 'hex')).int4(chunk.tokenCount);
}

async function markIndexed(trx: DatabaseTransaction, current: IndexedDocument[]): Promise<void> {
  const counts = current.map(({ document, chunks }) => ({
    id: document.id,
    chunks: chunks.length,
  }));
  await sql`
    update document d set status = 'indexed', indexed_revision = revision, chunk_count = x.chunks,
      indexed_at = now(), error = null, claim_token = null, claimed_until = null, next_attempt_at = null
    from json_to_recordset(${JSON.stringify(counts)}::json) as x(id bigint, chunks int)
    where d.id = x.id`.execute(trx);
}
