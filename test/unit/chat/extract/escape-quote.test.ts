import { describe, expect, it } from 'vitest';
import { removeCitations } from '#src/chat/citations/written-citations.ts';
import { escapeQuote } from '#src/chat/extract/escape-quote.ts';
import { safeLink } from '#src/chat/citations/safe-link.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

describe('a quote in an answer', () => {
  it.each([
    [
      'a foreign citation',
      'See [[1]](https://evil.test).',
      String.raw`See [\[1]](https://evil.test).`,
    ],
    ['several foreign citations', '[[1, 2]](x)', String.raw`[\[1, 2]](x)`],
    ['an image', '![x](https://evil.test/?q=1)', String.raw`!\[x](https://evil.test/?q=1)`],
    ['a reference-style image', '![x][1]', String.raw`!\[x][1]`],
    ['a script link', '[go](javascript:alert(1))', String.raw`[go]\(javascript:alert(1))`],
    ['a script in angle brackets', '[go](<java\tscript:x>)', `[go]\\(<java\tscript:x>)`],
    ['a script in entities', '[go](&#106;avascript:x)', String.raw`[go]\(&#106;avascript:x)`],
    ['an autolink that runs code', '<javascript:alert(1)>', String.raw`\<javascript:alert(1)>`],
    [
      'a definition of our citation numbers',
      '[1]: https://evil.test',
      String.raw`\[1]: https://evil.test`,
    ],
    ['an element that fetches', '<IMG src=x onerror=y>', String.raw`\<IMG src=x onerror=y>`],
    ['an element that runs code', 'a <script>b</script>', String.raw`a \<script>b\</script>`],
  ])('shows %s as literal text', (_, text, shown) => {
    expect(escapeQuote(text)).toBe(shown);
    expect(removeCitations(escapeQuote(text))).toBe(shown);
  });

  it.each([
    'Plain words, a [link](https://kb.example/a_(b)), an array[0] and a List<String>.',
    'Compare a < b; see [1] and [[2]].',
    '```html\n<script>[[1]](x)</script>\n```',
    '| [a](/b) | c |\n| --- | --- |\n| 1 | 2 |',
  ])('leaves harmless text unchanged: %s', (text) => {
    expect(escapeQuote(text)).toBe(text);
  });

  it('is disarmed in linear time', () => {
    for (const piece of ['[[', '![', '](', '[1]: ', '<', '[[1, '])
      expect(
        cpuMsOf(() => escapeQuote(piece.repeat(20_000))),
        piece,
      ).toBeLessThan(2_000);
  });
});

describe('a link', () => {
  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\tscr\nipt:alert(1)',
    'java\u200bscript:alert(1)',
    'javascript&colon;alert(1)',
    'javascript&#58;alert(1)',
    '&#106;avascript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'blob:https://a.example/1',
    'view-source:https://a.example/',
  ])('that runs code is not recognized: %j', (link) => {
    expect(safeLink(link)).toBeNull();
  });

  it.each([
    'https://kb.example/?a=1&b;=2',
    'HTTP://kb.example/javascript:x',
    'imap://mail.example/INBOX;UIDVALIDITY=1/;UID=2',
    'mailto:a@b.example',
    '/chat/file/1',
    'docs/R&D plan.pdf',
    'notes#data:1',
  ])('to an address is kept: %s', (link) => {
    expect(safeLink(link)).toBe(link);
  });
});
