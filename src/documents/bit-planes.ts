/** Of a stored vector. Its sign bits are the highest; the others are stored beside them. */
const PLANES = 6;
/** The vector of a query is one, and is in memory, so it may be finer. */
const QUERY_PLANES = 8;
/**
 * Half the distance of two neighbouring levels, in standard deviations of the components: what loses least of normally
 * distributed ones (J. Max, Quantizing for minimum distortion, 1960, table II).
 */
const HALF_STEPS = { [PLANES]: 0.052, [QUERY_PLANES]: 0.0154 };

/** Vectors of some models have components far above all others. They lose less with wider steps than by being cut. */
const OUTLIER = 5;
const WIDER_STEPS = [1.5, 2, 3, 4, 6];

/** What is stored of a vector besides its sign bits. */
export interface BitPlanes {
  /** A bit a dimension and plane, the lowest plane first, packed as Postgres packs bits: the most significant first. */
  bits: Uint8Array;
  bitCount: number;
  /** The product of the vector and its levels is the inverse of this; 0 for a zero vector. */
  scale: number;
}

/**
 * A vector of unit length in levels of equal distance, ±1, ±3 … ±63, and these in binary: plane b tells for each
 * dimension whether ±2^b is added or taken away. So the product of two vectors is a sum of Hamming distances of planes,
 * which a database computes fast. The scale makes its expectation that of the true product (J. Gao, C. Long, RaBitQ,
 * SIGMOD 2024).
 */
export function toBitPlanes(vector: Float32Array): BitPlanes {
  const { levels, scale } = quantize(vector, PLANES);
  const bitCount = (PLANES - 1) * vector.length;
  return { bits: packPlanes(levels, ascending(0, PLANES - 2)), bitCount, scale };
}

/** A part of the planes of a stored vector, and what it is compared with. */
export interface ComparedPlanes {
  /** Bits. */
  from: number;
  length: number;
  /** In hexadecimal, with zeros behind the last bit. */
  query: string;
  weight: number;
}

/** How the product of a query and stored vectors is computed. */
export interface PlaneComparison {
  /** product = scale × scale of the stored vector × (most − 2 × Σ weight × Hamming distance) */
  parts: ComparedPlanes[];
  most: number;
  scale: number;
}

/**
 * Planes of one weight stand in a row if those of the query stand in the opposite order, so each weight takes one Hamming
 * distance.
 * @param vector of unit length
 */
export function comparePlanes(vector: Float32Array): PlaneComparison {
  const dimensions = vector.length;
  const { levels, scale } = quantize(vector, QUERY_PLANES);
  const parts = ascending(0, PLANES + QUERY_PLANES - 2).map((exponent) => {
    const planes = ascending(
      Math.max(0, exponent - QUERY_PLANES + 1),
      Math.min(PLANES - 1, exponent),
    );
    const packed = packPlanes(
      levels,
      planes.map((plane) => exponent - plane),
    );
    return {
      from: (planes[0] ?? 0) * dimensions,
      length: planes.length * dimensions,
      query: Buffer.from(packed).toString('hex'),
      weight: 2 ** exponent,
    };
  });
  return { parts, most: dimensions * (2 ** PLANES - 1) * (2 ** QUERY_PLANES - 1), scale };
}

interface Quantized {
  /** Counted from the lowest one, so that their binary digits are the planes. */
  levels: Uint8Array;
  scale: number;
}

function quantize(vector: Float32Array, planes: keyof typeof HALF_STEPS): Quantized {
  const halfStep = (HALF_STEPS[planes] ?? 1) / Math.sqrt(vector.length);
  const usual = quantizeBy(vector, planes, halfStep);
  if (largestOf(vector) * Math.sqrt(vector.length) < OUTLIER) return usual;
  return WIDER_STEPS.map((times) => quantizeBy(vector, planes, times * halfStep)).reduce(
    (best, one) => (one.likeness > best.likeness ? one : best),
    usual,
  );
}

function largestOf(vector: Float32Array): number {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return largest;
}

/** @returns also the cosine of the vector and its levels, as far as the vector has unit length */
function quantizeBy(
  vector: Float32Array,
  planes: number,
  halfStep: number,
): Quantized & { likeness: number } {
  const positive = 2 ** (planes - 1);
  const perStep = 1 / (2 * halfStep);
  const levels = new Uint8Array(vector.length);
  let product = 0;
  let squares = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] ?? 0;
    const size = Math.abs(value);
    const steps = Math.trunc(size * perStep);
    const step = steps < positive ? steps : positive - 1;
    product += size * (2 * step + 1);
    squares += (2 * step + 1) ** 2;
    // As in the sign bits, zero is not positive.
    levels[index] = value > 0 ? positive + step : positive - 1 - step;
  }
  const scale = product === 0 ? 0 : 1 / product;
  return { levels, scale, likeness: product / Math.sqrt(squares) };
}

function packPlanes(levels: Uint8Array, planes: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((planes.length * levels.length) / 8));
  let [at, byte, bits] = [0, 0, 0];
  for (const plane of planes) {
    for (let index = 0; index < levels.length; index += 1) {
      byte = (byte << 1) | (((levels[index] ?? 0) >> plane) & 1);
      bits += 1;
      if (bits < 8) continue;
      bytes[at] = byte;
      at += 1;
      byte = 0;
      bits = 0;
    }
  }
  if (bits > 0) bytes[at] = byte << (8 - bits);
  return bytes;
}

function ascending(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
