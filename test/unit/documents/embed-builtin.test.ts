import { expect, test } from 'vitest';

import { createBuiltinEmbedder, embedQueryText, embedText } from '#src/documents/embed-builtin.ts';

const signal = new AbortController().signal;

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

test('vectors have unit length and are deterministic', () => {
  const vector = embedText('Renew the VPN certificate', 1024);
  expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  expect(embedText('Renew the VPN certificate', 1024)).toEqual(vector);
});

test('stored vectors stay comparable, since the first values of a known text do not change', () => {
  const vector = embedText('queue', 256);
  expect(Array.from(vector.slice(0, 6), (value) => value.toFixed(4))).toMatchInlineSnapshot(`
    [
      "0.0463",
      "0.0140",
      "-0.1409",
      "0.0301",
      "-0.0011",
      "0.0818",
    ]
  `);
});

test('typos and inflections stay close, other words do not', () => {
  const text = embedText('certificate renewal', 1024);
  const near = cosine(text, embedText('certifcate renewals', 1024));
  const far = cosine(text, embedText('banana harvest', 1024));
  expect(near).toBeGreaterThan(0.6);
  expect(Math.abs(far)).toBeLessThan(0.15);
});

test('sign bits of a short text are not mostly zero, thanks to the rotations', () => {
  const vector = embedText('vpn', 1024);
  expect(vector.filter((value) => value === 0).length).toBeLessThan(100);
});

test('a text without words becomes a zero vector, which matches nothing', () => {
  expect(embedText(' … ', 256).every((value) => value === 0)).toBe(true);
});

test('a query is weighted by the idf of its stems, without stop words', () => {
  const asked: string[] = [];
  const idf = (stem: string) => {
    asked.push(stem);
    return stem === 'rare' ? 10 : 0.1;
  };
  const query = embedQueryText('the rare queues', 1024, idf);
  expect(asked).toEqual(['rare', 'queue']);
  expect(cosine(query, embedText('rare', 1024))).toBeGreaterThan(0.95);
});

test('a query of stop words only still has a direction', () => {
  const query = embedQueryText('is it this', 1024, () => 1);
  expect(cosine(query, query)).toBeCloseTo(1, 5);
});

test('the embedder reports its kind and dimensions', async () => {
  await using stack = new AsyncDisposableStack();
  const embedder = createBuiltinEmbedder({ dimensions: 512 });
  stack.defer(() => embedder.close());
  expect(embedder).toMatchObject({ model: 'hash-cg35-512-v1', dimensions: 512, denseWeight: 0.2 });
  const [first, second] = await embedder.embedDocuments(['a text', 'another'], signal);
  expect(first).toEqual(embedText('a text', 512));
  expect(second).toHaveLength(512);
  expect(await embedder.embedQuery('a text', () => 1, signal)).toHaveLength(512);
  await expect(embedder.embedDocuments(['a'], AbortSignal.abort())).rejects.toThrow();
});

test.each([0, 128, 1000, 4096, Number.NaN])('%s dimensions are rejected by name', (dimensions) => {
  expect(() => createBuiltinEmbedder({ dimensions })).toThrow(
    `EMBEDDING_DIMENSIONS is ${dimensions}`,
  );
});
