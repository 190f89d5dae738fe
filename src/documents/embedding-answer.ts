import { z } from 'zod';

import { GiveUp } from '#src/platform/errors.ts';

const answerSchema = z.object({
  data: z.array(
    z.object({
      index: z.int().nonnegative().optional(),
      embedding: z.union([z.string(), z.array(z.number())]),
    }),
  ),
});

const errorSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);
const MAX_MESSAGE_LENGTH = 300;

/**
 * The vectors of an OpenAI-compatible `/embeddings` answer in the order of the inputs, given as arrays of floats or as
 * base64 of little-endian floats. Throws `GiveUp` for an invalid answer or one without exactly `count` vectors.
 */
export function parseEmbeddings(body: string, count: number, source: string): Float32Array[] {
  const parsed = answerSchema.safeParse(parseJson(body));
  if (!parsed.success) {
    throw new GiveUp(
      `${source} did not answer with embeddings but with ${JSON.stringify(excerpt(body))}; ` +
        'check EMBEDDING_BASE_URL.',
    );
  }
  const { data } = parsed.data;
  if (data.length !== count) {
    throw new GiveUp(`${source} returned ${data.length} embeddings for ${count} texts.`);
  }
  const vectors = new Map<number, Float32Array>();
  for (const [position, { index, embedding }] of data.entries()) {
    vectors.set(index ?? position, toVector(embedding));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) {
      throw new GiveUp(`${source} returned no embedding for text ${index} of ${count}.`);
    }
    if (!vector.every(Number.isFinite)) {
      throw new GiveUp(`${source} returned an embedding with a value that is not a number.`);
    }
    return vector;
  });
}

/** The provider's own error message, shortened. */
export function errorMessageOf(body: string): string {
  const parsed = errorSchema.safeParse(parseJson(body));
  return excerpt(parsed.success ? parsed.data : body);
}

function excerpt(text: string): string {
  return text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed().replace(/\s+/g, ' ').trim();
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: the schema rejects it and quotes the start of the body.
    return null;
  }
}

function toVector(embedding: string | number[]): Float32Array {
  if (typeof embedding !== 'string') return Float32Array.from(embedding);
  const bytes = Buffer.from(embedding, 'base64');
  const vector = new Float32Array(bytes.length >> 2);
  for (let index = 0; index < vector.length; index += 1) {
    vector[index] = bytes.readFloatLE(index * 4);
  }
  return vector;
}
