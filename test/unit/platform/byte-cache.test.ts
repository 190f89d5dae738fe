import { expect, it } from 'vitest';
import { ByteCache } from '#src/platform/byte-cache.ts';

it('those asked for longest ago leave first', () => {
  const cache = new ByteCache<string, number>(4_900);
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) cache.set(name, at, 1_000);
  expect(cache.get('a')).toBe(0);
  cache.set('e', 4, 1_000);
  expect(cache.get('b')).toBeNull();
  expect(cache.get('a')).toBe(0);
  expect(cache.get('e')).toBe(4);
});

it('a value takes the place of the one before, and its bytes', () => {
  const cache = new ByteCache<string, number>(4_900);
  cache.set('other', 0, 1_000);
  for (let at = 0; at < 10; at += 1) cache.set('same', at, 1_000);
  expect(cache.get('same')).toBe(9);
  expect(cache.get('other')).toBe(0);
});

it('what would push out most of the others is not kept', () => {
  const cache = new ByteCache<string, number>(4_900);
  cache.set('small', 1, 100);
  cache.set('large', 2, 1_100);
  expect(cache.get('large')).toBeNull();
  expect(cache.get('small')).toBe(1);
});
