import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type DatabaseTransaction } from '#src/platform/database.ts';
import { signBits } from '#src/platform/vector.ts';
import { toBitPlanes } from './bit-planes.ts';
import type { ChunkChanges, KeptChunk } from './chunk-changes.ts';
import type { ClaimedDocument } from './claim-documents.ts';
import { deleteChunks } from './delete-documents.ts';
import type { PreparedChunk } from './prepare-document.ts';
import { TermDeltas } from './term-counts.ts';
import { encodeCounts } from './term-frequencies.ts';
import { TERMS_VERSION } from './terms-version.ts';
import { writePostings } from './write-postings.ts';

interface NewChunk {
  id: number;
  document: ClaimedDocument;
  chunk: PreparedChunk;
  vector: Float32Array;
}

/** Applies the changes to the rows of chunks, their vectors and terms, and to the term counts. */
export async function writeChunks(
  trx: DatabaseTransaction,
  changes: readonly ChunkChanges[],
): Promise<void> {
  const deltas = new TermDeltas();
  await deleteChunks(
    trx,
    changes.flatMap(({ goneIds }) => goneIds),
    deltas,
  );
  await moveKeptChunks(
    trx,
    changes.flatMap(({ kept }) => kept),
  );
  await insertNewChunks(trx, await numberNewChunks(trx, changes), deltas);
  await deltas.write(trx);
}

/** Most chunks stay where they were; their rows are not written. */
async function moveKeptChunks(trx: DatabaseTransaction, kept: readonly KeptChunk[]): Promise<void> {
  if (kept.length === 0) return;
  const moved = kept.map(({ chunk, keptId }) => ({ id: keptId, ...placeOf(chunk) }));
  await sql`
    update chunk c set ordinal = x.ordinal, section_index = x."sectionIndex",
      start_offset = x.start, end_offset = x."end", text = x.text, is_html = x."isHtml", headings = x.headings, link = x.link
    from json_to_recordset(${JSON.stringify(moved)}::json) as x(id bigint, ordinal int,
      "sectionIndex" int, start int, "end" int, text text, "isHtml" boolean, headings json, link text)
    where c.id = x.id and (c.ordinal, c.section_index, c.start_offset, c.end_offset, c.text, c.is_html,
        c.headings::text, c.link)
      is distinct from (x.ordinal, x."sectionIndex", x.start, x."end", x.text, x."isHtml",
        x.headings::text, x.link)`.execute(trx);
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
  changes: readonly ChunkChanges[],
): Promise<NewChunk[]> {
  const fresh = changes.flatMap(({ document, fresh: chunks }) =>
    chunks.map((one) => ({ document, ...one })),
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
  const lowerPlanes = new BinaryCopy();
  const terms = new BinaryCopy();
  for (const { id, document, chunk, vector } of fresh) {
    writeText(texts, id, document, chunk);
    const planes = toBitPlanes(vector);
    keyFields(vectors.row(5), id, document).bit(signBits(vector), vector.length).bool(false);
    lowerPlanes.row(3).int8(id).bit(planes.bits, planes.bitCount).float4(planes.scale);
    keyFields(terms.row(7), id, document)
      .int4Array(chunk.termIds)
      .bytea(encodeCounts(chunk.termCounts))
      .bool(true)
      .int2(TERMS_VERSION);
    deltas.add(document.workspace_id, chunk.termIds, 1);
  }
  await copyRows(trx, 'chunk', CHUNK_COLUMNS, texts.finish());
  await copyRows(trx, 'chunk_vector', VECTOR_COLUMNS, vectors.finish());
  await copyRows(trx, 'chunk_planes', PLANE_COLUMNS, lowerPlanes.finish());
  await copyRows(trx, 'chunk_terms', TERMS_COLUMNS, terms.finish());
  await writePostings(
    trx,
    fresh.map(({ id, document, chunk: { termIds, termCounts } }) => ({
      id,
      workspaceId: document.workspace_id,
      termIds,
      termCounts,
    })),
  );
}

const KEY_COLUMNS = ['chunk_id', 'workspace_id', 'document_id'];
const VECTOR_COLUMNS = [...KEY_COLUMNS, 'bits', 'promoted'];
const PLANE_COLUMNS = ['chunk_id', 'planes', 'scale'];
const TERMS_COLUMNS = [...KEY_COLUMNS, 'terms', 'frequencies', 'in_postings', 'terms_version'];
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
