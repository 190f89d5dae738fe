import type { ImageSize } from './read-image.ts';

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const IMAGE_DESCRIPTOR_BYTES = 10;

/** GIF89a, sections 17 to 27: blocks up to the trailer, with at least one image. Null for any other structure. */
export function measureGif(bytes: Buffer): ImageSize | null {
  if (bytes.length < HEADER_BYTES) return null;
  let offset = HEADER_BYTES + colorTableBytes(bytes[10] ?? 0);
  let hasImage = false;
  while (offset < bytes.length) {
    const block = bytes[offset];
    if (block === TRAILER) {
      return hasImage ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null;
    }
    if (block === EXTENSION) {
      offset = afterSubBlocks(bytes, offset + 2);
    } else if (block === IMAGE) {
      hasImage = true;
      const ownColors = colorTableBytes(bytes[offset + 9] ?? 0);
      // One byte gives the LZW code size.
      offset = afterSubBlocks(bytes, offset + IMAGE_DESCRIPTOR_BYTES + ownColors + 1);
    } else {
      return null;
    }
  }
  return null;
}

function colorTableBytes(packed: number): number {
  return packed & 0x80 ? 3 * 2 ** ((packed & 0x07) + 1) : 0;
}

function afterSubBlocks(bytes: Buffer, start: number): number {
  let offset = start;
  for (let length = bytes[offset]; length !== undefined && length > 0; length = bytes[offset]) {
    offset += length + 1;
  }
  return offset + 1;
}
