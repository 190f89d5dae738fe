import { hash } from 'node:crypto';
import { GiveUp } from '#src/platform/errors.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { documentWeights, workspaceSalt } from './bm25.ts';
import { type Chunk, chunkDocument } from './chunk-text.ts';
import { looksBinary } from './clean-text.ts';
import { termIds } from './tokenize.ts';

/** The fields of a document that the CPU-heavy half of indexing needs. */
export interface DocumentText {
  workspaceId: string;
  title: string;
  sections: { text: string; link: string | null }[];
  metadata: DocumentMetadata;
}

/** What the index stores for a chunk's indexed text. */
export interface ChunkTerms {
  /** First 16 bytes of the SHA-256 of the indexed text, hex. */
  hash: string;
  termIds: Int32Array;
  termWeights: Float32Array;
}

export type PreparedChunk = Chunk & ChunkTerms;

export type Prepared = { chunks: PreparedChunk[] } | { failure: string };

/** Chunks and tokenizes one document. If it cannot be indexed, returns the failure instead of throwing. */
export function prepareDocument(document: DocumentText): Prepared {
  const cut = cutDocument(document);
  if ('failure' in cut) return cut;
  const salt = workspaceSalt(document.workspaceId);
  return { chunks: cut.chunks.map((chunk) => ({ ...chunk, ...termsOf(chunk.indexedText, salt) })) };
}

/** Splits a document into chunks: a tenth of the time of `prepareDocument`. */
export function cutDocument(document: DocumentText): { chunks: Chunk[] } | { failure: string } {
  if (document.sections.some((section) => looksBinary(section.text))) {
    return {
      failure: 'The text looks like binary data. Send the text of the document, not its file.',
    };
  }
  try {
    return { chunks: chunkDocument(document) };
  } catch (error) {
    if (error instanceof GiveUp) return { failure: error.message };
    throw error;
  }
}

/** Finds the terms of any number of chunks: the rest of `prepareDocument`. */
export function findTerms(task: { workspaceId: string; indexedTexts: string[] }): ChunkTerms[] {
  const salt = workspaceSalt(task.workspaceId);
  return task.indexedTexts.map((text) => termsOf(text, salt));
}

function termsOf(indexedText: string, salt: number): ChunkTerms {
  const { ids, weights } = documentWeights(termIds(indexedText, salt));
  const digest = hash('sha256', indexedText, 'hex');
  return { hash: digest.slice(0, 32), termIds: ids, termWeights: weights };
}
