import { createHash } from 'node:crypto';
import { GiveUp } from '#src/platform/errors.ts';
import type { DocumentMetadata } from '#src/tables.ts';
import { documentWeights, workspaceSalt } from './bm25.ts';
import { type Chunk, chunkDocument } from './chunk-text.ts';
import { looksBinary } from './clean-text.ts';
import { tokenize } from './tokenize.ts';

/** What the CPU-heavy half of indexing needs of a document. */
export interface DocumentText {
  workspaceId: string;
  title: string;
  sections: { text: string; link: string | null }[];
  metadata: DocumentMetadata;
}

export interface PreparedChunk extends Chunk {
  /** First 16 bytes of the SHA-256 of the indexed text, hex. */
  hash: string;
  termIds: Int32Array;
  termWeights: Float32Array;
}

export type Prepared = { chunks: PreparedChunk[] } | { failure: string };

/** Chunks and tokenizes one document. A document that cannot be indexed is an answer, not an error. */
export function prepareDocument(document: DocumentText): Prepared {
  if (document.sections.some((section) => looksBinary(section.text))) {
    return {
      failure: 'The text looks like binary data. Send the text of the document, not its file.',
    };
  }
  try {
    const salt = workspaceSalt(document.workspaceId);
    const chunks = chunkDocument(document).map((chunk): PreparedChunk => {
      const { ids, weights } = documentWeights(tokenize(chunk.indexedText), salt);
      const digest = createHash('sha256').update(chunk.indexedText).digest('hex');
      return { ...chunk, hash: digest.slice(0, 32), termIds: ids, termWeights: weights };
    });
    return { chunks };
  } catch (error) {
    if (error instanceof GiveUp) return { failure: error.message };
    throw error;
  }
}
