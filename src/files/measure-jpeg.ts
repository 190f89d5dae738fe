import type { ImageSize } from './read-image.ts';

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
/** SOF0 to SOF15 except DHT, JPG and DAC, whose codes lie between them. */
const NOT_A_FRAME = new Set([0xc4, 0xc8, 0xcc]);
/** RST0 to RST7, SOI and TEM stand alone. */
const hasNoLength = (marker: number): boolean =>
  marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * ITU-T T.81, annex B: segments from SOI to the first scan, including one frame. Data after the end of the image, which
 * some cameras add, is ignored. Null for any other structure.
 */
export function measureJpeg(bytes: Buffer): ImageSize | null {
  let size: ImageSize | null = null;
  let offset = 2;
  while (offset + 4 <= bytes.length) {
    if (bytes[offset] !== 0xff) return null;
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff || hasNoLength(marker)) {
      // 0xff may be repeated before a marker.
      offset += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === START_OF_SCAN) return bytes.includes(END_OF_IMAGE, offset) ? size : null;
    const length = bytes.readUInt16BE(offset + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !NOT_A_FRAME.has(marker);
    if (isFrame && offset + 9 <= bytes.length) {
      size = { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) };
    }
    if (length < 2) return null;
    offset += length + 2;
  }
  return null;
}
