import fc from 'fast-check';
import { expect, test } from 'vitest';

import { htmlTokens, looksLikeHtml, visibleText } from '#src/documents/html-text.ts';
import { maskTags } from '#src/documents/split-html.ts';

test('pages and fragments are HTML, but prose, comparisons and Markdown with some HTML are not', () => {
  expect(looksLikeHtml('\n<!DOCTYPE html><html>')).toBe(true);
  expect(looksLikeHtml('<div class="a">x</div>')).toBe(true);
  expect(looksLikeHtml('Hello <p>a</p><p>b</p><p>c</p>')).toBe(true);
  expect(looksLikeHtml('a < b and c > d')).toBe(false);
  expect(looksLikeHtml('<p align="center">logo</p>\n\n# Title')).toBe(false);
  expect(looksLikeHtml('Use `<p>` or `</p>`.')).toBe(false);
});

test('visible text has one line per block, decoded entities, and no scripts, styles or comments', () => {
  const html =
    '<h1>A&nbsp;&lt;b&gt;</h1><p>x<b>y</b>z<br/>&#x41;&#66;&unknown;&#0;</p><style>s</style><!-- c -->' +
    '<table><tr><td>1</td><td>2</td></tr></table>';
  expect(visibleText(html)).toBe('A <b>\nxyz\nAB&unknown;&#0;\n1 2');
});

test('a quoted bracket does not end a tag, and an unclosed quote does not swallow the rest', () => {
  expect(visibleText('<a title="a > b">x</a>')).toBe('x');
  expect(visibleText('<p>one <a title="b>two</a> three</p>')).toContain('three');
  expect(visibleText('1 < 2 <3 </p>')).toBe('1 < 2 <3');
});

test('tokens cover the text without gaps, and masking keeps every offset', () => {
  const part = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '=',
    '/',
    '!--',
    '-->',
    'a',
    'script',
    ' ',
    '😀',
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const html = parts.join('');
      let at = 0;
      for (const { start, end } of htmlTokens(html)) {
        expect(start).toBe(at);
        expect(end).toBeGreaterThan(start);
        at = end;
      }
      expect(at).toBe(html.length);
      expect(maskTags(html)).toHaveLength(html.length);
    }),
  );
});
