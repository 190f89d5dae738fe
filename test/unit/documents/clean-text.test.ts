import fc from 'fast-check';
import { expect, test } from 'vitest';

import { cleanJson, cleanText, looksBinary } from '#src/documents/clean-text.ts';

test('NUL is removed, a lone surrogate becomes U+FFFD, and a pair stays', () => {
  expect(cleanText('a\0b\ud800c\udc00😀')).toBe('ab\ufffdc\ufffd😀');
});

test('Postgres can store every cleaned text', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
      const clean = cleanText(String.fromCharCode(...units));
      expect(clean.isWellFormed()).toBe(true);
      expect(clean).not.toContain('\0');
    }),
  );
});

test('JSON is cleaned as its strings are, and keeps what only looks like an escape', () => {
  for (const text of ['a\0b', 'a\ud800b', 'a\udfffb', '😀', String.raw`\u0000 \ud800`])
    expect(JSON.parse(cleanJson({ text, list: [text] }))).toEqual({
      text: cleanText(text),
      list: [cleanText(text)],
    });
});

test('prose, code and an empty text are not binary; decoded bytes are', () => {
  expect(looksBinary('')).toBe(false);
  expect(looksBinary('Zürich\r\n\tif (a) {}\f')).toBe(false);
  expect(looksBinary(Buffer.from(Array.from({ length: 999 }, (_, n) => n % 256)).toString())).toBe(
    true,
  );
  expect(looksBinary('PNG' + '\x01\x02\x03'.repeat(20))).toBe(true);
  expect(looksBinary('a \ufffd short text that was damaged \ufffd')).toBe(false);
  expect(looksBinary('a\ufffdb')).toBe(false);
});

test('noise after a readable start is detected', () => {
  expect(looksBinary('a'.repeat(20_000) + '\ufffd'.repeat(500_000))).toBe(true);
});
