/** Dimensions of the latent space. On the test collections 48 to 96 do about as well. */
export const LATENT_DIMENSIONS = 64;
/** Of how a basis is made and coded, and of what terms are. One of another number is not read, and is made again. */
export const BASIS_VERSION = 1;

/**
 * The terms of a workspace as vectors, such that terms which stand in the same texts point in the same direction
 * (latent semantic indexing, Deerwester et al. 1990). Texts are folded in: the sum of their terms' vectors is theirs.
 */
export interface LatentBasis {
  /** Term ids, ascending. */
  ids: Int32Array;
  /** One for each term: what its vector is multiplied by. */
  scales: Float32Array;
  /** `LATENT_DIMENSIONS` for each term. */
  vectors: Int8Array;
}

/** The arrays one after the other: 72 bytes a term. */
export function encodeBasis({ ids, scales, vectors }: LatentBasis): Uint8Array {
  return Buffer.concat([ids, scales, vectors].map(bytesOf));
}

/** As `encodeBasis` made it. */
export function decodeBasis(bytes: Uint8Array): LatentBasis {
  const terms = bytes.length / (8 + LATENT_DIMENSIONS);
  // Copies: the bytes may be a part of a larger buffer, anywhere in it.
  const copied = (from: number, to: number) => Uint8Array.from(bytes.subarray(from, to)).buffer;
  return {
    ids: new Int32Array(copied(0, 4 * terms)),
    scales: new Float32Array(copied(4 * terms, 8 * terms)),
    vectors: new Int8Array(copied(8 * terms, bytes.length)),
  };
}

/**
 * The vector of a text of these terms, of unit length. Terms that the basis does not have count for nothing.
 * @returns `LATENT_DIMENSIONS` numbers; all are 0 when the basis has none of the terms
 */
export function foldIn(basis: LatentBasis, ids: Int32Array, weights: Float32Array): Float64Array {
  const folded = new Float64Array(LATENT_DIMENSIONS);
  for (let at = 0; at < ids.length; at += 1) {
    const place = placeOf(basis.ids, ids[at] ?? 0);
    if (place === -1) continue;
    const weight = (weights[at] ?? 0) * (basis.scales[place] ?? 0);
    const start = place * LATENT_DIMENSIONS;
    for (let axis = 0; axis < LATENT_DIMENSIONS; axis += 1) {
      folded[axis] = (folded[axis] ?? 0) + weight * (basis.vectors[start + axis] ?? 0);
    }
  }
  return toUnit(folded);
}

/** Scales in place; zeros stay zeros. */
export function toUnit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector));
  if (length === 0) return vector;
  for (let axis = 0; axis < vector.length; axis += 1) vector[axis] = (vector[axis] ?? 0) / length;
  return vector;
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis += 1) sum += (a[axis] ?? 0) * (b[axis] ?? 0);
  return sum;
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Binary search; -1 when it is not there. */
function placeOf(ascending: Int32Array, id: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = ascending[middle] ?? 0;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
