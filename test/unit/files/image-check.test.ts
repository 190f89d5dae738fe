import { describe, expect, it } from 'vitest';
import { readImage } from '#src/files/read-image.ts';
import { buildGif, buildJpeg, buildPng, buildWebp } from '#test/support/build-images.ts';

const read = (bytes: Uint8Array, name = 'photo.bin') => readImage({ name, bytes });

const IMAGES: [string, Buffer, string, number, number][] = [
  ['PNG', buildPng(20, 10), 'image/png', 20, 10],
  ['JPEG', buildJpeg(640, 480), 'image/jpeg', 640, 480],
  ['GIF', buildGif(40, 30), 'image/gif', 40, 30],
  ['WebP (lossy)', buildWebp('lossy', 16, 9), 'image/webp', 16, 9],
  ['WebP (lossless)', buildWebp('lossless', 1000, 700), 'image/webp', 1000, 700],
  ['WebP (extended)', buildWebp('extended', 3000, 2000), 'image/webp', 3000, 2000],
];

describe.each(IMAGES)('a %s', (_, bytes, mediaType, width, height) => {
  it('is recognized by its content, whatever its name', () => {
    expect(read(bytes, 'invoice.pdf')).toEqual({ mediaType, width, height });
  });

  it('is refused wherever it is truncated', () => {
    for (let length = 12; length < bytes.length; length += 1) {
      expect(() => read(bytes.subarray(0, length)), `${length} bytes`).toThrow(/damaged .* image/);
    }
  });

  it('is read the same from the middle of a larger buffer', () => {
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    expect(read(larger.subarray(6, 6 + bytes.length))).toEqual({ mediaType, width, height });
  });
});

it.each([
  ['of 2.5 gigapixels', buildPng(50_000, 50_000)],
  ['with the largest possible dimensions', buildPng(4_294_967_295, 1)],
  ['just above the limit', buildPng(8_000, 6_251)],
  ['as a JPEG', buildJpeg(65_535, 65_535)],
  ['as a GIF', buildGif(65_535, 65_535)],
  ['as a WebP', buildWebp('extended', 16_000_000, 16_000_000)],
])('refuses a pixel bomb %s', (_, bytes) => {
  expect(() => read(bytes, 'bomb.png')).toThrow(/bomb\.png has \d+ × \d+ pixels; the limit is 50/);
});

it('accepts an image with exactly the maximum number of pixels', () => {
  expect(read(buildPng(8_000, 6_250))).toMatchObject({ width: 8_000, height: 6_250 });
});

it('refuses an image without pixels', () => {
  expect(() => read(buildPng(0, 10))).toThrow(/damaged PNG/);
  expect(() => read(buildJpeg(10, 0))).toThrow(/damaged JPEG/);
});

it('recognizes everything else as not an image', () => {
  for (const text of [
    '',
    'GIF',
    '%PDF-1.7',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '\xff\xd8',
    'RIFF1234WAVE',
  ]) {
    expect(read(Buffer.from(text, 'latin1'))).toBeNull();
  }
});

it('does not loop on wrong lengths', () => {
  const gif = Buffer.concat([buildGif().subarray(0, 19), Buffer.alloc(100_000, 0x21)]);
  expect(() => read(gif)).toThrow(/damaged/);
  const png = Buffer.concat([buildPng().subarray(0, 33), Buffer.alloc(100_000)]);
  expect(() => read(png)).toThrow(/damaged/);
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100_000, 0xff)]);
  expect(() => read(jpeg)).toThrow(/damaged/);
});
