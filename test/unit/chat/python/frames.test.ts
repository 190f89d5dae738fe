import { expect, test } from 'vitest';
import {
  decodeFile,
  encodeFile,
  encodeFrame,
  type Frame,
  readFrames,
} from '#src/chat/python/frames.ts';
import { mediaTypeOf } from '#src/chat/python/media-type-of.ts';
import { nameFiles } from '#src/chat/python/name-files.ts';
import { createPrintedText } from '#src/chat/python/printed-text.ts';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function framesOf(bytes: Uint8Array, size: number, maxBytes = 1_000): Promise<Frame[]> {
  return Array.fromAsync(readFrames(chunksOf(bytes, size), maxBytes));
}

const STREAM = Buffer.concat([
  encodeFrame('started', new Uint8Array()),
  encodeFrame('stdout', Buffer.from('hello')),
  encodeFrame('done', Buffer.from('{"failure":null}')),
]);

test.each([1, 2, 5, 7, 1_000])('frames are reassembled from chunks of %i bytes', async (size) => {
  const frames = await framesOf(STREAM, size);
  expect(frames.map(({ kind, payload }) => [kind, payload.toString()])).toEqual([
    ['started', ''],
    ['stdout', 'hello'],
    ['done', '{"failure":null}'],
  ]);
});

test('a runner that sends too much, breaks off, or sends an invalid frame is detected', async () => {
  await expect(framesOf(STREAM, 8, 20)).rejects.toThrow('more than 20 bytes');
  await expect(framesOf(STREAM.subarray(0, -1), 8)).rejects.toThrow('broke off');
  await expect(framesOf(Buffer.from([99, 0, 0, 0, 0]), 8)).rejects.toThrow('unknown kind 99');
  // A length of 4 GB is never waited for: the limit of the stream comes first.
  const endless = Buffer.concat([Buffer.from([2, 255, 255, 255, 255]), Buffer.alloc(2_000)]);
  await expect(framesOf(endless, 100)).rejects.toThrow('more than 1000 bytes');
});

test('a file keeps its name and bytes, and a payload with a wrong name length is refused', () => {
  const { name, bytes } = decodeFile(encodeFile('Ü/a.bin', new Uint8Array([0, 255])));
  expect({ name, bytes: [...bytes] }).toEqual({ name: 'Ü/a.bin', bytes: [0, 255] });
  expect(() => decodeFile(Buffer.from([0, 9, 65]))).toThrow(RangeError);
  expect(() => decodeFile(Buffer.from([0]))).toThrow(RangeError);
});

test('a character split in two arrives whole, and invalid bytes become U+FFFD', async () => {
  const printed = createPrintedText();
  const euro = Buffer.from('€');
  printed.add('stdout', euro.subarray(0, 1));
  printed.add('stdout', euro.subarray(1));
  printed.add('stdout', Buffer.from([0xff, 0x00]));
  printed.add('stderr', Buffer.from([0xe2]));
  printed.close();
  expect(await Array.fromAsync(printed.take())).toEqual([
    { stream: 'stdout', text: '€\uFFFD\uFFFD' },
    { stream: 'stderr', text: '\uFFFD' },
  ]);
});

test('a thousand unread prints are merged into one piece', async () => {
  const printed = createPrintedText();
  for (let line = 0; line < 1_000; line += 1) printed.add('stdout', Buffer.from('x\n'));
  printed.add('stderr', Buffer.from('e'));
  printed.add('stdout', Buffer.from('y'));
  printed.close();
  expect(await Array.fromAsync(printed.take())).toEqual([
    { stream: 'stdout', text: 'x\n'.repeat(1_000) },
    { stream: 'stderr', text: 'e' },
    { stream: 'stdout', text: 'y' },
  ]);
});

test('names of attached files become safe and unique', () => {
  expect(
    nameFiles(['a.csv', '../../a.csv', 'C:\\data\\a.csv', '', '..', '.env', 'x/.env', 'a-2.csv']),
  ).toEqual(['a.csv', 'a-2.csv', 'a-3.csv', 'file', 'file-2', '.env', '.env-2', 'a-2-2.csv']);
});

test('an image is recognized by its content, not by its name', () => {
  const png = Buffer.from('89504e470d0a1a0a00', 'hex');
  expect(mediaTypeOf('chart.csv', png)).toBe('image/png');
  expect(mediaTypeOf('chart.png', Buffer.from('no image'))).toBe('text/plain');
  expect(mediaTypeOf('data.CSV', Buffer.from('a,b'))).toBe('text/csv');
  expect(mediaTypeOf('data', new Uint8Array([0, 1]))).toBe('application/octet-stream');
  expect(mediaTypeOf('data', new Uint8Array([0xff]))).toBe('application/octet-stream');
});
