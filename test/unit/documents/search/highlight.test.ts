import fc from 'fast-check';
import { expect, test } from 'vitest';

import { blurb, highlight } from '#src/documents/search/highlight.ts';
import { tokenize } from '#src/documents/tokenize.ts';

test('words with a matching stem are marked in any case and inflection', () => {
  expect(highlight('The Queues were running.', tokenize('queue runs'))).toEqual([
    'The <hi>Queues</hi> were <hi>running</hi>.',
  ]);
});

test('an identifier is marked when one of its parts matches', () => {
  expect(highlight('call parseHttpRequest()', tokenize('http'))).toEqual([
    'call <hi>parseHttpRequest</hi>()',
  ]);
});

test('text without spaces is marked only at the matching characters', () => {
  expect(highlight('私は東京都に住む', tokenize('東京都'))).toEqual(['私は<hi>東京都</hi>に住む']);
});

test('no match returns no fragments', () => {
  expect(highlight('some text', tokenize('other'))).toEqual([]);
  expect(highlight('', tokenize('other'))).toEqual([]);
  expect(highlight('some text', [])).toEqual([]);
});

test('at most the three best fragments are returned, in text order', () => {
  const filler = 'filler '.repeat(60);
  const text = [1, 2, 3, 4].map((n) => `${filler} alpha${n === 3 ? ' beta' : ''} n${n}`).join('');
  const fragments = highlight(text, tokenize('alpha beta'));
  expect(fragments).toHaveLength(3);
  expect(fragments.map((fragment) => /n\d/.exec(fragment)?.[0])).toEqual(['n1', 'n2', 'n3']);
  for (const fragment of fragments) expect(fragment.length).toBeLessThan(240);
});

test('without its marks, every fragment occurs in the text, apart from white space', () => {
  const text = fc.array(fc.constantFrom('alpha', 'x'.repeat(70), '漢字漢', ' ', '\n', '😀', '. '));
  fc.assert(
    fc.property(text, (parts) => {
      const flat = parts.join('').replace(/\s+/g, ' ');
      for (const fragment of highlight(parts.join(''), ['alpha', '漢字'])) {
        expect(flat).toContain(fragment.replaceAll(/<\/?hi>/g, ''));
        expect(fragment.isWellFormed()).toBe(true);
      }
    }),
  );
});

test('a blurb is the start of the text, cut at a word', () => {
  expect(blurb(' short \n')).toBe('short');
  const long = 'lorem ipsum '.repeat(200);
  expect(blurb(long)).toMatch(/^lorem ipsum .* (?:lorem|ipsum)$/);
  expect(blurb(long).length).toBeLessThan(1_000);
  expect(blurb('漢'.repeat(500))).toBe('漢'.repeat(128));
});
