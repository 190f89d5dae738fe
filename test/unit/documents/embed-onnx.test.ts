import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

import { createOnnxEmbedder, type TransformersPackage } from '#src/documents/embed-onnx.ts';

const signal = new AbortController().signal;

async function modelFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'onnx-model-'));
  await writeFile(join(folder, 'config.json'), '{}');
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

function fakePackage(width: number) {
  const seen = { batches: [] as number[], model: '', disposed: false };
  const extract = async (texts: string[]) => {
    seen.batches.push(texts.length);
    const data = texts.flatMap((text) => [
      text.length,
      ...Array.from({ length: width - 1 }, () => 0),
    ]);
    return { data: Float32Array.from(data), dims: [texts.length, width] };
  };
  const dispose = async () => {
    seen.disposed = true;
  };
  const transformers: TransformersPackage = {
    env: { allowRemoteModels: true, localModelPath: '' },
    pipeline: async (_task, model) => {
      seen.model = model;
      return Object.assign(extract, { dispose });
    },
  };
  return { seen, transformers };
}

test('a missing model folder is named', async () => {
  const attempt = createOnnxEmbedder({ model: '/nowhere/model', dimensions: 3 });
  await expect(attempt).rejects.toThrow('EMBEDDING_MODEL names /nowhere/model');
});

test('a missing package is named with the command that installs it', async () => {
  await using model = await modelFolder();
  const attempt = createOnnxEmbedder({ model: model.folder, dimensions: 3 });
  await expect(attempt).rejects.toThrow('npm install @huggingface/transformers');
});

test('texts are embedded in batches by a model loaded only from disk', async () => {
  await using model = await modelFolder();
  const { seen, transformers } = fakePackage(3);
  const load = async () => transformers;
  const embedder = await createOnnxEmbedder({ model: model.folder, dimensions: 3, load });
  expect(transformers.env).toEqual({
    allowRemoteModels: false,
    localModelPath: dirname(model.folder),
  });
  expect(seen.model).toBe(basename(model.folder));
  const vectors = await embedder.embedDocuments(
    Array.from({ length: 20 }, () => 'text'),
    signal,
  );
  expect(vectors).toHaveLength(20);
  expect(vectors[19]).toEqual(Float32Array.of(1, 0, 0));
  expect(seen.batches).toEqual([16, 4]);
  await embedder.close();
  expect(seen.disposed).toBe(true);
});

test('a model with other dimensions is rejected, naming both numbers', async () => {
  await using model = await modelFolder();
  const load = async () => fakePackage(4).transformers;
  const embedder = await createOnnxEmbedder({ model: model.folder, dimensions: 3, load });
  await expect(embedder.embedQuery('a', () => 1, signal)).rejects.toThrow(
    'has 4 dimensions, but EMBEDDING_DIMENSIONS is 3',
  );
});

test.each([NaN, Infinity])('a vector with %s is rejected', async (value) => {
  await using model = await modelFolder();
  const transformers: TransformersPackage = {
    env: { allowRemoteModels: true, localModelPath: '' },
    pipeline: async () =>
      Object.assign(async () => ({ data: Float32Array.of(1, value, 0), dims: [1, 3] }), {
        dispose: async () => {},
      }),
  };
  const load = async () => transformers;
  const embedder = await createOnnxEmbedder({ model: model.folder, dimensions: 3, load });
  await expect(embedder.embedDocuments(['a'], signal)).rejects.toThrow('is not a number');
});
