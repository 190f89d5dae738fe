import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { GiveUp } from '#src/platform/errors.ts';
import { normalize } from '#src/platform/vector.ts';

import type { Embedder } from './embed.ts';

const DENSE_WEIGHT = 0.5;
/** Padding makes every text in a batch as long as the longest. */
const BATCH_SIZE = 16;
const PACKAGE = '@huggingface/transformers';

/** The part of `@huggingface/transformers` that we use; it is an optional peer dependency of 474 MB. */
export interface TransformersPackage {
  env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(task: 'feature-extraction', model: string): Promise<FeatureExtraction>;
}

interface FeatureExtraction {
  (
    texts: string[],
    options: { pooling: 'mean'; normalize: boolean },
  ): Promise<{ data: ArrayLike<number>; dims: readonly number[] }>;
  dispose(): Promise<unknown>;
}

export interface OnnxEmbedderOptions {
  /** Model folder: `config.json`, `tokenizer.json`, `onnx/…`. */
  model: string;
  dimensions: number;
  load?: () => Promise<TransformersPackage>;
}

/** Embeds with a local ONNX model, mean-pooled, without network access. Throws `GiveUp` with the remedy. */
export async function createOnnxEmbedder(options: OnnxEmbedderOptions): Promise<Embedder> {
  const folder = resolve(options.model);
  await access(join(folder, 'config.json')).catch((cause: unknown) => {
    throw new GiveUp(
      `EMBEDDING_MODEL names ${folder}, which has no config.json; put an ONNX model folder there.`,
      { cause },
    );
  });
  const transformers = await (options.load ?? loadTransformers)();
  transformers.env.allowRemoteModels = false;
  transformers.env.localModelPath = dirname(folder);
  const extract = await transformers.pipeline('feature-extraction', basename(folder));

  const embed = async (texts: readonly string[], signal: AbortSignal) => {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += BATCH_SIZE) {
      signal.throwIfAborted();
      const batch = texts.slice(start, start + BATCH_SIZE);
      const output = await extract(batch, { pooling: 'mean', normalize: true });
      vectors.push(...rowsOf(output.data, batch.length, options.dimensions, folder));
    }
    return vectors;
  };
  return {
    model: `onnx:${basename(folder)}`,
    dimensions: options.dimensions,
    denseWeight: DENSE_WEIGHT,
    noiseFloor: 0,
    embedDocuments: embed,
    async embedQuery(text, _idf, signal) {
      const [vector] = await embed([text], signal);
      if (vector === undefined) throw new GiveUp(`The model in ${folder} returned no vector.`);
      return vector;
    },
    async close() {
      await extract.dispose();
    },
  };
}

async function loadTransformers(): Promise<TransformersPackage> {
  // A variable, so that the compiler does not look for types where the package is not installed.
  const name: string = PACKAGE;
  try {
    // The package has no types here; this interface declares the part that we use.
    return (await import(name)) as TransformersPackage;
  } catch (cause) {
    throw new GiveUp(
      `EMBEDDING_PROVIDER is onnx, but ${PACKAGE} cannot be loaded; run: npm install ${PACKAGE}`,
      { cause },
    );
  }
}

function rowsOf(
  data: ArrayLike<number>,
  count: number,
  dimensions: number,
  folder: string,
): Float32Array[] {
  const width = data.length / count;
  if (width !== dimensions) {
    throw new GiveUp(
      `The model in ${folder} has ${width} dimensions, but EMBEDDING_DIMENSIONS is ${dimensions}.`,
    );
  }
  const values = Float32Array.from(data);
  // Half-precision models overflow. Every search that compares such a vector would have no order.
  if (!values.every(Number.isFinite)) {
    throw new GiveUp(`The model in ${folder} returned a value that is not a number.`);
  }
  return Array.from({ length: count }, (_, row) =>
    normalize(values.slice(row * width, (row + 1) * width)),
  );
}
