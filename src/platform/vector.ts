import { SparseVector } from 'pgvector';

/**
 * One bit per dimension, set where the value is above zero; most significant bit first within a byte, as the wire
 * format of Postgres `bit(n)` and pgvector's `binary_quantize` have it.
 */
export function signBits(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8));
  for (let index = 0; index < bytes.length; index += 1) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit += 1) {
      if ((vector[index * 8 + bit] ?? 0) > 0) byte |= 0x80 >> bit;
    }
    bytes[index] = byte;
  }
  return bytes;
}

/** Scales `vector` in place to unit length and returns it; a zero vector stays zero. */
export function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (let index = 0; index < vector.length; index += 1) squares += (vector[index] ?? 0) ** 2;
  if (squares === 0) return vector;
  const scale = 1 / Math.sqrt(squares);
  for (let index = 0; index < vector.length; index += 1) {
    vector[index] = (vector[index] ?? 0) * scale;
  }
  return vector;
}

/** Text form of a pgvector `sparsevec`, which counts from one: zero-based `indices` `[0, 4]` of 8 become `{1:…,5:…}/8`. */
export function sparseVectorLiteral(
  dimensions: number,
  indices: Int32Array,
  values: Float32Array,
): string {
  const elements = new Map(Array.from(indices, (index, at) => [index, values[at] ?? 0]));
  return new SparseVector(elements, dimensions).toString();
}
