import { hash } from 'node:crypto';
import { GiveUp } from '#src/platform/errors.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { countOccurrences, workspaceSalt } from './bm25.ts';
import { type Chunk, type ChunkableDocument, chunkDocument } from './chunk-text.ts';
import { looksBinary } from './clean-text.ts';
import { embedText } from './embed-builtin.ts';
import { termIds } from './tokenize.ts';

/** The fields of a document that the CPU-heavy half of indexing needs. */
export interface DocumentText {
  workspaceId: string;
  title: string;
  /**
   * JSON of the sections, as rows have it. To hand 100,000 of them to a thread as objects took 45 ms of the main
   * thread's own time, and 10 ms as a string of 20 MB; the system's time for fresh memory comes on top of both.
   */
  sectionsJson: string;
  metadata: DocumentMetadata;
  /** Of the builtin embedder; null: no vectors are wanted. */
  dimensions: number | null;
}

/** What the index stores for a chunk's indexed text. */
export interface ChunkTerms {
  /** First 16 bytes of the SHA-256 of the indexed text, hex. */
  hash: string;
  termIds: Int32Array;
  /** How often each of them occurs. */
  termCounts: Uint32Array;
  /** Null unless the builtin embedder's vectors were wanted. */
  vector: Float32Array | null;
}

export type PreparedChunk = Chunk & ChunkTerms;

export type Prepared = { chunks: PreparedChunk[] } | { failure: string };

/** Chunks and tokenizes one document, and embeds it if that is wanted. If it cannot be indexed, returns the failure instead of throwing. */
export function prepareDocument(document: DocumentText): Prepared {
  const cut = cutDocument(document);
  if ('failure' in cut) return cut;
  const termsOf = termFinder(document);
  return { chunks: cut.chunks.map((chunk) => ({ ...chunk, ...termsOf(chunk.indexedText) })) };
}

/** Splits a document into chunks: a tenth of the time of `prepareDocument`. */
export function cutDocument({
  sectionsJson,
  ...document
}: DocumentText): { chunks: Chunk[] } | { failure: string } {
  const sections = JSON.parse(sectionsJson) as ChunkableDocument['sections'] | null; // our own JSON
  if (sections === null) {
    return { failure: 'The text of the document is not there any more. Send the document again.' };
  }
  if (sections.some((section) => looksBinary(section.text))) {
    return {
      failure: 'The text looks like binary data. Send the text of the document, not its file.',
    };
  }
  try {
    return { chunks: chunkDocument({ ...document, sections }) };
  } catch (error) {
    if (error instanceof GiveUp) return { failure: error.message };
    throw error;
  }
}

/** Finds the terms, and the vectors if wanted, of any number of chunks: the rest of `prepareDocument`. */
export function findTerms({
  indexedTexts,
  ...document
}: Pick<DocumentText, 'workspaceId' | 'dimensions'> & { indexedTexts: string[] }): ChunkTerms[] {
  return indexedTexts.map(termFinder(document));
}

function termFinder({
  workspaceId,
  dimensions,
}: Pick<DocumentText, 'workspaceId' | 'dimensions'>): (indexedText: string) => ChunkTerms {
  const salt = workspaceSalt(workspaceId);
  return (indexedText) => {
    // The embedder comes next: it finds the words of the same text as the tokenizer has left them.
    const { ids, counts } = countOccurrences(termIds(indexedText, salt));
    const vector = dimensions === null ? null : embedText(indexedText, dimensions);
    const digest = hash('sha256', indexedText, 'hex');
    return { hash: digest.slice(0, 32), termIds: ids, termCounts: counts, vector };
  };
}
