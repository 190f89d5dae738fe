import { crc32, deflateSync } from 'node:zlib';

/** A PNG of one colour that decoders accept; its header states the given size. */
export function buildPng(width = 2, height = 2): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  // A decompression bomb declares many pixels over few bytes.
  const rows = Math.min(width * height, 64);
  const pixels = deflateSync(Buffer.alloc(rows + (height % 64)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.write(type, 4, 'latin1');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(Buffer.concat([frame.subarray(4), content])));
  return Buffer.concat([frame, content, sum]);
}

/** SOI, an APP0 segment, the frame, a scan and EOI. */
export function buildJpeg(width = 3, height = 2): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1]),
    frame,
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34, 0xff, 0xd9]),
  ]);
}

/** One frame, a table of two colours, and a comment before it. */
export function buildGif(width = 4, height = 5): Buffer {
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen[4] = 0x80;
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    Buffer.from([0, 0, 0, 255, 255, 255]),
    Buffer.from([0x21, 0xfe, 3, 1, 2, 3, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, width & 255, 0, height & 255, 0, 0, 2, 2, 0x4c, 0x01, 0]),
    Buffer.from([0x3b]),
  ]);
}

export function buildWebp(kind: 'lossy' | 'lossless' | 'extended', width = 6, height = 7): Buffer {
  const body = Buffer.alloc(24);
  body.write({ lossy: 'VP8 ', lossless: 'VP8L', extended: 'VP8X' }[kind], 0, 'latin1');
  body.writeUInt32LE(16, 4);
  if (kind === 'lossy') {
    body.set([0, 0, 0, 0x9d, 0x01, 0x2a], 8);
    body.writeUInt16LE(width, 14);
    body.writeUInt16LE(height, 16);
  } else if (kind === 'lossless') {
    body[8] = 0x2f;
    body.writeUInt32LE((width - 1) | ((height - 1) << 14), 9);
  } else {
    body.writeUIntLE(width - 1, 12, 3);
    body.writeUIntLE(height - 1, 15, 3);
  }
  const head = Buffer.alloc(12);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(body.length + 4, 4);
  head.write('WEBP', 8, 'latin1');
  return Buffer.concat([head, body]);
}
