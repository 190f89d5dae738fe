import type { ImageSize } from './read-image.ts';

/** `RIFF`, a length, `WEBP`. */
const HEADER_BYTES = 12;
const RIFF_FRAME_BYTES = 8;
const LEAST_BYTES = 30;

/** RFC 9649: the first chunk holds the size. Null when the file is truncated or damaged. */
export function measureWebp(bytes: Buffer): ImageSize | null {
  if (bytes.length < LEAST_BYTES) return null;
  if (bytes.readUInt32LE(4) + RIFF_FRAME_BYTES > bytes.length) return null;
  switch (bytes.toString('latin1', HEADER_BYTES, HEADER_BYTES + 4)) {
    case 'VP8 ':
      return measureLossy(bytes);
    case 'VP8L':
      return measureLossless(bytes);
    case 'VP8X':
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    default:
      return null;
  }
}

/** RFC 6386, section 9.1: start code, then width and height in 14 bits each. */
function measureLossy(bytes: Buffer): ImageSize | null {
  if (bytes.readUIntBE(23, 3) !== 0x9d012a) return null;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** RFC 9649, section 3.4: a signature byte, then width and height in 14 bits each, minus one. */
function measureLossless(bytes: Buffer): ImageSize | null {
  if (bytes[20] !== 0x2f) return null;
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
