import { GiveUp } from '#src/platform/errors.ts';
import { measureGif } from './measure-gif.ts';
import { measureJpeg } from './measure-jpeg.ts';
import { measurePng } from './measure-png.ts';
import { measureWebp } from './measure-webp.ts';

export interface ImageSize {
  width: number;
  height: number;
}

export interface ImageFacts extends ImageSize {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
}

/** Limit on decoding: a few kilobytes can unpack to gigabytes of pixels. */
const MAX_PIXELS = 50_000_000;
/** Limit per side: no photograph is larger, and decoders use 16-bit sizes. */
const MAX_SIDE = 32_767;

interface ImageFormat {
  mediaType: ImageFacts['mediaType'];
  label: string;
  /** Signature at the start of the file, one character per byte; `.` matches any. */
  magic: RegExp;
  /** The size of a complete image; null when it is truncated or damaged. */
  measure: (bytes: Buffer) => ImageSize | null;
}

const FORMATS: readonly ImageFormat[] = [
  {
    mediaType: 'image/png',
    label: 'PNG',
    // oxlint-disable-next-line no-control-regex -- bytes, not text
    magic: /^\x89PNG\r\n\x1a\n/,
    measure: measurePng,
  },
  { mediaType: 'image/jpeg', label: 'JPEG', magic: /^\xff\xd8\xff/, measure: measureJpeg },
  { mediaType: 'image/gif', label: 'GIF', magic: /^GIF8[79]a/, measure: measureGif },
  { mediaType: 'image/webp', label: 'WebP', magic: /^RIFF[^]{4}WEBP/, measure: measureWebp },
];
const LONGEST_MAGIC = 12;

/**
 * Detects from the content whether a file is an image, and its size; it reads only the structure and decodes no pixels.
 * @returns null for anything but PNG, JPEG, WebP or GIF
 * @throws GiveUp for an image that is truncated, damaged or has too many pixels
 */
export function readImage({ name, bytes }: { name: string; bytes: Uint8Array }): ImageFacts | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = buffer.toString('latin1', 0, LONGEST_MAGIC);
  const format = FORMATS.find(({ magic }) => magic.test(head));
  if (!format) return null;
  const size = format.measure(buffer);
  if (size === null || size.width === 0 || size.height === 0) {
    throw new GiveUp(`${name} is a damaged ${format.label} image; it may be cut off.`);
  }
  const { width, height } = size;
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE) {
    throw new GiveUp(
      `${name} has ${width} × ${height} pixels; the limit is ${MAX_PIXELS / 1_000_000} megapixels and ${MAX_SIDE} a side. Make it smaller.`,
    );
  }
  return { mediaType: format.mediaType, width, height };
}
