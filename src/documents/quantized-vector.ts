/** The largest component of a quantized vector, or its negative. */
const LARGEST = 127;

/**
 * A vector in one signed byte a dimension (scalar quantization): its components in units of a 127th of the largest. It
 * needs no scale, since only its direction is asked for. A zero vector stays zero.
 */
export function quantize(vector: Float32Array): Int8Array {
  let largest = 0;
  for (let index = 0; index < vector.length; index += 1) {
    largest = Math.max(largest, Math.abs(vector[index] ?? 0));
  }
  const quantized = new Int8Array(vector.length);
  if (largest === 0) return quantized;
  const scale = LARGEST / largest;
  for (let index = 0; index < vector.length; index += 1) {
    quantized[index] = Math.round((vector[index] ?? 0) * scale);
  }
  return quantized;
}

/** The components of a `halfvec` in its wire format: int16 dimensions, int16 unused, then halves, all big-endian. */
export function fromHalfvec(bytes: Uint8Array): Float32Array {
  const halves = Buffer.from(new Uint8Array(bytes.subarray(4)).buffer).swap16();
  return Float32Array.from(
    new Float16Array(halves.buffer, halves.byteOffset, halves.byteLength / 2),
  );
}

/** Cosine of the angle between a vector of unit length and one of any length, of as many dimensions; 0 if that is zero. */
export function cosine(unit: Float32Array, other: Int8Array | Float32Array): number {
  let product = 0;
  let squares = 0;
  for (let index = 0; index < unit.length; index += 1) {
    const value = other[index] ?? 0;
    product += (unit[index] ?? 0) * value;
    squares += value * value;
  }
  return squares === 0 ? 0 : product / Math.sqrt(squares);
}
