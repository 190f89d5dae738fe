import { describe, expect, it } from 'vitest';
import { KnownUrls } from '#src/chat/search/known-urls.ts';
import { pageLinks } from '#src/chat/search/page-links.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

describe('URLs that an answer may open', () => {
  const known = new KnownUrls([
    'Read https://kb.example/a?x=1, (http://kb.example/b) and example.org/page. Also www.example.net!',
  ]);

  it.each([
    'https://kb.example/a?x=1',
    'http://kb.example/a?x=1#part',
    'https://kb.example/b',
    'https://kb.example/b/',
    'example.org/page',
    'https://www.example.net/',
  ])('include what the user wrote: %s', (url) => {
    expect(known.has(url)).toBe(true);
  });

  it.each([
    'https://kb.example/a',
    'https://kb.example/a?x=1&q=secret',
    'https://kb.example/b/secret',
    'https://secret.kb.example/b',
    'https://kb.example:8443/b',
    'https://user:secret@kb.example/b',
    'https://example.org/page?secret',
    'ftp://kb.example/b',
    'https://attacker.example/?q=secret',
    '',
  ])('exclude a URL that only starts the same: %s', (url) => {
    expect(known.has(url)).toBe(false);
  });

  it('include the links of a page as absolute URLs', () => {
    const html = `<a href="/next?a=1&amp;b=2">x</a> <A class=q HREF='https://else.example/y'> <a href=z>
      <a href="javascript:alert(1)"> <a name="q">`;
    expect(pageLinks(html, new URL('https://kb.example/dir/page'))).toEqual([
      'https://kb.example/next?a=1&b=2',
      'https://else.example/y',
      'https://kb.example/dir/z',
    ]);
  });

  it('are found in linear time', () => {
    for (const piece of ['a.', 'https://', '<a ', '<a href="', 'x.yy/', '-'])
      expect(
        cpuMsOf(() => {
          const text = piece.repeat(200_000 / piece.length);
          new KnownUrls([text]).has(text);
          pageLinks(text, new URL('https://kb.example/'));
        }),
        piece,
      ).toBeLessThan(3_000);
  });
});
