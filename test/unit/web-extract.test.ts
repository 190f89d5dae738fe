import { load } from 'cheerio';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodePage } from '#src/connectors/decode-page.ts';
import { extractPage } from '#src/connectors/extract-page.ts';
import { isInScope, readBaseUrl, readLink, scopeOf } from '#src/connectors/page-address.ts';
import { readDirectives } from '#src/connectors/page-links.ts';

const textOf = (html: string, mintlifyCleanup = true): string =>
  extractPage(load(html), 'fallback', { mintlifyCleanup }).text;

describe('readable text', () => {
  test('keeps headings, lists, tables and code of every maker, without marks and line numbers', () => {
    const text = textOf(`<body><main><h1>Guide<a class="headerlink" href="#g">¶</a></h1>
      <p>See <a href="/x">the other page</a>.</p><ul><li>One</li></ul>
      <table><tr><th>Size</th><th>Price</th></tr><tr><td>S</td><td>3</td></tr></table>
      <pre><code class="language-sh">ls -l</code></pre>
      <div class="highlight"><pre><span class="lineno">1</span><span>x</span> = <span>1</span>
  y = 2</pre></div></main></body>`);
    expect(text).toContain('# Guide\n');
    expect(text).toContain('See the other page.');
    expect(text).toMatch(/^- +One$/m);
    expect(text).toContain('| Size | Price |\n| --- | --- |\n| S | 3 |');
    expect(text).toContain('```sh\nls -l\n```');
    expect(text).toContain('```\nx = 1\n  y = 2\n```');
  });

  test('leaves out navigation, banners and menus by tag, role, name and share of links', () => {
    const links = Array.from(
      { length: 8 },
      (_, index) => `<a href="/${index}">Section ${index}</a>`,
    );
    const text = textOf(`<body class="has-sidebar"><header><a href="/">Logo</a></header>
      <nav>Tag</nav><div role="navigation">Role</div><div class="breadcrumbs">Home / Guide</div>
      <div id="onetrust-consent-sdk">We use cookies</div><div class="left-menu">Menu</div>
      <div>${links.join(' ')}</div>
      <div class="content-with-sidebar"><h1>Real</h1><p>Content that somebody wrote about many things at quite some length, so that there is more of it than of anything else on this page, with <a href="/a">one</a> link.</p></div>
      <footer>Imprint</footer></body>`);
    expect(text).toMatch(/^# Real\n\nContent that .* with one link\.$/);
  });

  test('keeps a page about cookies, and an index that is nothing but links', () => {
    const words = 'A cookie is small. '.repeat(20);
    expect(textOf(`<body><div class="cookie-article"><p>${words}</p></div></body>`)).toContain(
      'A cookie',
    );
    const links = Array.from(
      { length: 9 },
      (_, index) => `<li><a href="/${index}">Part ${index}</a></li>`,
    );
    expect(textOf(`<body><ul>${links.join('')}</ul></body>`)).toContain('Part 8');
  });

  test('turns tables that only arrange the page into text', () => {
    const text = textOf(
      '<body><table><tr><td>Menu</td><td><h2>News</h2><p>Text</p><table><tr><td>a</td><td>b</td></tr></table></td></tr></table></body>',
    );
    expect(text).toContain('## News\n\nText');
    expect(text).toContain('| a | b |');
  });

  test('hides the sticky parts of Mintlify sites only', () => {
    const body = '<body><p>Words</p><div class="sticky">Ask a question</div></body>';
    const mintlify = `<meta name="generator" content="Mintlify">${body}`;
    expect(textOf(mintlify)).toBe('Words');
    expect(textOf(mintlify, false)).toContain('Ask');
    expect(textOf(body)).toContain('Ask');
  });

  test('has the title that the page gives to others, and its facts', () => {
    const page =
      load(`<html lang="de"><head><title>Guide | Acme</title><meta property="og:title" content="Guide">
      <meta name="author" content="Ann"><meta name="keywords" content="a, b"><meta property="article:modified_time" content="2026-01-02T03:04:05Z">
      </head><body><h1>Heading</h1></body></html>`);
    expect(extractPage(page, 'fallback', { mintlifyCleanup: true })).toEqual({
      title: 'Guide',
      text: '# Heading',
      author: 'Ann',
      metadata: { author: 'Ann', keywords: ['a', 'b'], language: 'de' },
      modifiedAt: new Date('2026-01-02T03:04:05Z'),
    });
  });
});

describe('the encoding of a page', () => {
  const russian = 'Программа читает настройки и открывает базу данных.';
  const encoded = iconv.encode(russian, 'windows-1251');

  test('is what its header says, then its meta, then what its bytes look like', () => {
    expect(decodePage(encoded, 'text/html; charset=windows-1251')).toBe(russian);
    const meta = Buffer.concat([Buffer.from('<meta charset="windows-1251">'), encoded]);
    expect(decodePage(meta, 'text/html')).toContain(russian);
    expect(decodePage(encoded, 'text/html')).toBe(russian);
    expect(decodePage(Buffer.from(`\uFEFF${russian}`), 'text/html; charset=latin1')).toContain(
      russian,
    );
  });

  test('is not what a wrong header says', () => {
    expect(decodePage(encoded, 'text/html; charset=utf-8')).toBe(russian);
    expect(decodePage(Buffer.from(russian), 'text/html; charset=nonsense')).toBe(russian);
    expect(decodePage(Buffer.from([0, 1, 2, 3, 0, 1, 2, 3]), 'text/html')).toBeNull();
  });
});

test('addresses lose fragments, sessions and tracking, and keep the rest of their query', () => {
  const from = 'https://a.example/x/';
  expect(readLink('../b;jsessionid=1?utm_source=n&q=a%20b&gclid=2#f', from)?.href).toBe(
    'https://a.example/b?q=a+b',
  );
  expect(readLink('?q=a%20b', from)?.href).toBe('https://a.example/x/?q=a%20b');
  expect(readLink('/a/b/a/b/a/b/a/b', from)).toBeNull();
  expect(readLink('javascript:void(0)', from)).toBeNull();
  expect(readLink('https://user:pw@a.example/', from)).toBeNull();
  expect(readLink(`/${'x'.repeat(2_100)}`, from)).toBeNull();
});

test('a scope is a folder, whichever file of it was named', () => {
  const inside = (base: string, url: string): boolean => {
    const parsed = readBaseUrl(base);
    return parsed !== null && isInScope(scopeOf(parsed), new URL(url));
  };
  expect(inside('a.example/docs/index.html', 'https://a.example/docs/b')).toBe(true);
  expect(inside('a.example/docs', 'https://a.example/docs')).toBe(true);
  expect(inside('a.example/docs', 'http://a.example/docs/b')).toBe(true);
  expect(inside('a.example/docs', 'https://a.example/docs-old')).toBe(false);
  expect(inside('a.example', 'https://b.example/')).toBe(false);
});

test('directives of other robots do not count', () => {
  expect(readDirectives('otherbot: noindex, nofollow')).toEqual({
    noindex: false,
    nofollow: false,
  });
  expect(readDirectives('millrace: none')).toEqual({ noindex: true, nofollow: true });
  expect(readDirectives('max-image-preview:large, NOINDEX')).toEqual({
    noindex: true,
    nofollow: false,
  });
});
