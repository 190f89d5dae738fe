import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSecretBox } from '#src/platform/crypto.ts';

const SECRET = 'xoxb-a-very-secret-token';
const box = createSecretBox([Buffer.alloc(32, 7)]);

test('a value cannot be opened for another row', () => {
  const sealed = box.seal(SECRET, 'credential:1');
  expect(() => box.open(sealed, 'credential:2')).toThrow(
    'The secret of credential:2 is damaged, or it belongs to another row.',
  );
});

test('the error for another key names both key ids', () => {
  const sealed = createSecretBox([Buffer.alloc(32, 8)]).seal(SECRET, 'credential:1');
  const theirs = sealed.split('.')[1] ?? '';
  const ours = box.seal('', '').split('.')[1] ?? '';
  expect(theirs).toMatch(/^[0-9a-f]{8}$/);
  expect(() => box.open(sealed, 'credential:1')).toThrow(
    new RegExp(`encrypted with the key ${theirs}, but ENCRYPTION_KEY is the key ${ours}`),
  );
});

test('every key of a ring opens values, and the first one seals them', () => {
  const [first, second, third] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
  const ring = createSecretBox([first, second]);
  const sealedBy = (key: Buffer) => createSecretBox([key]).seal(SECRET, 'credential:1');
  expect(ring.open(sealedBy(first), 'credential:1')).toBe(SECRET);
  expect(ring.open(sealedBy(second), 'credential:1')).toBe(SECRET);
  expect(ring.seal(SECRET, 'credential:1')).toContain(`v1.${ring.keyIds[0]}.`);
  expect(() => ring.open(sealedBy(third), 'credential:1')).toThrow(
    `but ENCRYPTION_KEY has the keys ${ring.keyIds.join(', ')}.`,
  );
});

test('a secret box needs a key', () => {
  expect(() => createSecretBox([])).toThrow('needs a key');
});

test('a change of any character is detected', () => {
  const sealed = box.seal(SECRET, 'credential:1');
  for (let index = 0; index < sealed.length; index += 1) {
    // The last character of unpadded base64url may contain unused bits.
    const swapped = sealed[index] === 'A' ? 'Q' : 'A';
    const changed = sealed.slice(0, index) + swapped + sealed.slice(index + 1);
    expect(() => box.open(changed, 'credential:1'), `character ${index}`).toThrow('credential:1');
  }
});

test.each(['', 'v1', 'v2.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA', SECRET])(
  '%j is damaged, and the error does not repeat it',
  (damaged) => {
    const opening = (): string => box.open(damaged, 'credential:1');
    expect(opening).toThrow('The secret of credential:1 is damaged: it is not in the format v1.');
  },
);

test('a truncated value is damaged', () => {
  const sealed = box.seal(SECRET, 'credential:1');
  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => box.open(sealed.slice(0, length), 'credential:1')).toThrow('damaged');
  }
});

test('the same text is never sealed the same way twice', () => {
  const values = new Set(Array.from({ length: 100 }, () => box.seal(SECRET, 'credential:1')));
  expect(values.size).toBe(100);
});

test('every text is restored unchanged for its row', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, row) => {
      const key = randomBytes(32);
      const sealed = createSecretBox([key]).seal(plain, row);
      expect(createSecretBox([key]).open(sealed, row)).toBe(plain);
    }),
  );
});

test.each([0, 16, 31, 33])('a key of %i bytes is refused', (bytes) => {
  expect(() => createSecretBox([Buffer.alloc(bytes)])).toThrow(`has ${bytes} bytes; it needs 32`);
});
