import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { DocumentServices } from './document-services.ts';
import type { ChunkChanges, KeptChunk } from './chunk-changes.ts';
import type { ClaimedDocument } from './claim-documents.ts';
import type { PreparedChunk } from './prepare-document.ts';

export interface PreparedDocument {
  document: ClaimedDocument;
  chunks: PreparedChunk[];
}

interface PlacedDocument extends PreparedDocument {
  kept: KeptChunk[];
  /** Chunks that have no row yet. */
  unknown: PreparedChunk[];
  goneIds: number[];
}

/**
 * Finds the chunks that already have a row, and embeds the others. An unchanged chunk keeps its row and vector, as does
 * a chunk written by an earlier, unfinished attempt.
 */
export async function placeChunks(
  { db, embedder }: Pick<DocumentServices, 'db' | 'embedder'>,
  documents: readonly PreparedDocument[],
  signal: AbortSignal,
): Promise<ChunkChanges[]> {
  const stored = await storedChunks(
    db,
    documents.map(({ document }) => document.id),
  );
  const placed = documents.map((one) => placeOne(one, stored.get(one.document.id)));
  const unknown = placed.flatMap((one) => one.unknown).filter(({ vector }) => vector === null);
  const texts = unknown.map(({ indexedText }) => indexedText);
  const vectors = texts.length === 0 ? [] : await embedder.embedDocuments(texts, signal);
  const vectorOf = new Map(unknown.map((chunk, index) => [chunk, vectors[index]]));
  return placed.map(({ document, chunks, kept, unknown: own, goneIds }) => {
    const fresh = own.map((chunk) => {
      const vector = chunk.vector ?? vectorOf.get(chunk);
      if (!vector) throw new GiveUp('The embedder returned fewer vectors than texts.');
      return { chunk, vector };
    });
    return { document, chunkCount: chunks.length, fresh, kept, goneIds };
  });
}

/** Each stored row is used for one chunk with the same text; a repeated text has a row for each occurrence. */
function placeOne(
  one: PreparedDocument,
  stored: Map<string, number[]> = new Map<string, number[]>(),
): PlacedDocument {
  const placed: PlacedDocument = { ...one, kept: [], unknown: [], goneIds: [] };
  for (const chunk of one.chunks) {
    const keptId = stored.get(chunk.hash)?.shift();
    if (keptId === undefined) placed.unknown.push(chunk);
    else placed.kept.push({ chunk, keptId });
  }
  placed.goneIds = [...stored.values()].flat();
  return placed;
}

/** The current chunk rows of the documents, by the hash of their indexed text. */
async function storedChunks(
  db: Database,
  ids: readonly DocumentId[],
): Promise<Map<DocumentId, Map<string, number[]>>> {
  const { rows } = await sql<{ id: number; document_id: DocumentId; hash: string }>`
    select id, document_id, encode(hash, 'hex') as hash from chunk
    where document_id = any(${ids}::bigint[]) order by document_id, ordinal`.execute(db);
  const stored = new Map<DocumentId, Map<string, number[]>>();
  for (const row of rows) {
    const byHash = stored.get(row.document_id) ?? new Map<string, number[]>();
    stored.set(row.document_id, byHash);
    const ofHash = byHash.get(row.hash);
    if (ofHash) ofHash.push(row.id);
    else byHash.set(row.hash, [row.id]);
  }
  return stored;
}
