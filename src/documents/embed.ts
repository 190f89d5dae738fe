/** Turns texts into unit-length vectors. One deployment uses one embedder; `model` is recorded with the index. */
export interface Embedder {
  /** Identifies the source of a vector. Vectors of different models are not comparable. */
  readonly model: string;
  readonly dimensions: number;
  /** Weight of the vector score in fusion (0…1). */
  readonly denseWeight: number;
  /** Inner products below this are noise: such a chunk is found only if it shares a word with the query. */
  readonly noiseFloor: number;
  /** Whether `IndexThreads.prepare` can make the same vectors, together with the terms: one pass over the text. */
  readonly isBuiltin?: boolean;
  /** One unit-length vector per text, in order. Throws `RetryLater`, `EmbedderFault` or `GiveUp`. */
  embedDocuments(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  /** `idf` takes a stem as returned by `tokenize`; neural embedders ignore it. */
  embedQuery(
    text: string,
    idf: (word: string) => number,
    signal: AbortSignal,
  ): Promise<Float32Array>;
  close(): Promise<void>;
}

/** The embedder failed on a request: it is broken, or one of the texts triggers the failure. Costs an attempt. */
export class EmbedderFault extends Error {
  override readonly name = 'EmbedderFault';
}
