import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { signBits } from '#src/platform/vector.ts';

const HEADER = '5047434f50590aff0d0a000000000000000000';
const TRAILER = 'ffff';

function rowHex(write: (copy: BinaryCopy) => BinaryCopy): string {
  const hex = write(new BinaryCopy().row(1)).finish().toString('hex');
  expect(hex.startsWith(`${HEADER}0001`)).toBe(true);
  expect(hex.endsWith(TRAILER)).toBe(true);
  return hex.slice(HEADER.length + 4, -TRAILER.length);
}

test('no rows produce only a header and a trailer', () => {
  expect(new BinaryCopy().finish().toString('hex')).toBe(HEADER + TRAILER);
});

test('numbers, booleans and nulls are big-endian, preceded by their length', () => {
  expect(rowHex((copy) => copy.null())).toBe('ffffffff');
  expect(rowHex((copy) => copy.bool(true))).toBe('0000000101');
  expect(rowHex((copy) => copy.int2(-2))).toBe('00000002fffe');
  expect(rowHex((copy) => copy.int4(-2))).toBe('00000004fffffffe');
  expect(rowHex((copy) => copy.int8(-2))).toBe('00000008fffffffffffffffe');
  expect(rowHex((copy) => copy.int8(2 ** 40 + 5))).toBe('000000080000010000000005');
  expect(rowHex((copy) => copy.int8(2n ** 62n))).toBe('000000084000000000000000');
  expect(rowHex((copy) => copy.float4(1.5))).toBe('000000043fc00000');
});

test('text is UTF-8 with its length in bytes, and a lone surrogate becomes U+FFFD', () => {
  expect(rowHex((copy) => copy.text(''))).toBe('00000000');
  expect(rowHex((copy) => copy.text('aé€😀'))).toBe('0000000a61c3a9e282acf09f9880');
  expect(rowHex((copy) => copy.text('\ud800'))).toBe('00000003efbfbd');
});

test('bytes, UUIDs and times follow the wire format', () => {
  expect(rowHex((copy) => copy.bytea(Uint8Array.of(1, 255)))).toBe('0000000201ff');
  const uuid = '00112233-4455-6677-8899-aabbccddeeff';
  expect(rowHex((copy) => copy.uuid(uuid))).toBe('0000001000112233445566778899aabbccddeeff');
  const second = new Date('2000-01-01T00:00:01Z');
  expect(rowHex((copy) => copy.timestamptz(second))).toBe('0000000800000000000f4240');
});

test('arrays carry their element type and bounds, and an empty array has no dimensions', () => {
  expect(rowHex((copy) => copy.int4Array(Int32Array.of(7)))).toBe(
    '0000001c' +
      '00000001' +
      '00000000' +
      '00000017' +
      '00000001' +
      '00000001' +
      '0000000400000007',
  );
  expect(rowHex((copy) => copy.int4Array(new Int32Array()))).toBe(
    '0000000c000000000000000000000017',
  );
});

test('bits follow the wire format of bit(n)', () => {
  expect(rowHex((copy) => copy.bit(Uint8Array.of(0x80, 0x80), 9))).toBe('00000006000000098080');
});

test('a row with too few or too many fields is refused by number', () => {
  expect(() => new BinaryCopy().row(2).int4(1).row(2)).toThrow('Row 1 lacks 1 of its fields');
  expect(() => new BinaryCopy().row(2).int4(1).finish()).toThrow('Row 1 lacks 1');
  expect(() => new BinaryCopy().row(1).int4(1).int4(2)).toThrow('more fields than row() announced');
});

test('values that do not match their field are refused', () => {
  const copy = () => new BinaryCopy().row(1);
  expect(() => copy().uuid('no uuid')).toThrow('"no uuid" is not a UUID');
  expect(() => copy().bit(Uint8Array.of(1), 9)).toThrow('exactly 9 bits');
  expect(() => copy().timestamptz(new Date('never'))).toThrow('invalid Date');
});

test('any text survives, however often the buffer grows', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 })), (texts) => {
      const copy = new BinaryCopy(1);
      for (const text of texts) copy.row(1).text(text);
      const bytes = copy.finish();
      let at = HEADER.length / 2;
      for (const text of texts) {
        const length = bytes.readInt32BE(at + 2);
        at += 6;
        expect(bytes.subarray(at, at + length).equals(Buffer.from(text))).toBe(true);
        at += length;
      }
      expect(bytes.readInt16BE(at)).toBe(-1);
      expect(at + 2).toBe(bytes.length);
    }),
  );
});

test('a field of any type survives a buffer growth while it is written', () => {
  for (let filler = 0; filler < 64; filler += 1) {
    const write = (copy: BinaryCopy) =>
      copy
        .row(6)
        .text('x'.repeat(filler))
        .bool(true)
        .int2(-2)
        .int4(-3)
        .int8(-4)
        .float4(1.5)
        .finish();
    // The first buffer has to grow on the way, the second never does.
    expect(write(new BinaryCopy(24)).equals(write(new BinaryCopy(4_096)))).toBe(true);
  }
});

test('Postgres reads back every column type unchanged', async () => {
  await using db = await PGlite.create({ extensions: { vector } });
  await db.exec(`create extension vector; create table t (
    a int2, b int4, c int8, d float4, e bool, f text, g bytea, h uuid, i int4[], j int4[],
    l bit(3), o timestamptz, p text)`);
  const uuid = '00112233-4455-6677-8899-aabbccddeeff';
  const time = new Date('1969-07-20T20:17:40.123Z');
  const dense = Float32Array.of(0.5, -1, 0.25);
  const copy = new BinaryCopy();
  for (let row = 0; row < 2000; row += 1) {
    copy
      .row(13)
      .int2(-7)
      .int4(row)
      .int8(-(2 ** 50))
      .float4(0.1)
      .bool(true)
      .text('Zürich 😀\n\t\\');
    copy.bytea(Uint8Array.of(0, 255)).uuid(uuid).int4Array(Int32Array.of(1, -2));
    copy.int4Array(new Int32Array()).bit(signBits(dense), 3);
    copy.timestamptz(time).null();
  }
  const blob = new Blob([new Uint8Array(copy.finish())]);
  await db.query(`copy t from '/dev/blob' (format binary)`, [], { blob });
  const { rows } = await db.query(
    `select a, b, c::text, d, e, f, g, h, i, j, l::text, o, p from t
      order by b desc limit 1`,
  );
  expect(rows).toEqual([
    {
      a: -7,
      b: 1999,
      c: String(-(2 ** 50)),
      d: 0.1,
      e: true,
      f: 'Zürich 😀\n\t\\',
      g: Uint8Array.of(0, 255),
      h: uuid,
      i: [1, -2],
      j: [],
      l: '101',
      o: time,
      p: null,
    },
  ]);
});
