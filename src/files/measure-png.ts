import type { ImageSize } from './read-image.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const CHUNK_FRAME_BYTES = 12;

/** PNG (W3C, third edition), section 5: chunks from IHDR to IEND. Null for any other structure. */
export function measurePng(bytes: Buffer): ImageSize | null {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR' || bytes.length < 33) return null;
  let hasPixels = false;
  let offset = SIGNATURE_BYTES;
  while (offset + CHUNK_FRAME_BYTES <= bytes.length) {
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    if (type === 'IEND') {
      return hasPixels ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
    }
    hasPixels ||= type === 'IDAT';
    offset += bytes.readUInt32BE(offset) + CHUNK_FRAME_BYTES;
  }
  return null;
}
