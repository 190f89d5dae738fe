import { openPage } from '#src/files/open-page.ts';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodePage } from '#src/files/decode-page.ts';
import { extractPage } from '#src/connectors/kinds/web/extract-page.ts';
import {
  isInScope,
  readBaseUrl,
  readLink,
  scopeOf,
} from '#src/connectors/kinds/web/page-address.ts';
import { readDirectives } from '#src/connectors/kinds/web/page-links.ts';

const textOf = (html: string, mintlifyCleanup = true): string =>
  extractPage(openPage(html), 'fallback', { mintlifyCleanup }).text;

describe('readable text', () => {
  test('keeps headings, lists, tables and code of every generator, without anchors and line numbers', () => {
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

  test('excludes navigation, banners and menus by tag, role, name and share of links', () => {
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

  test('keeps a page about cookies, and an index that consists only of links', () => {
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

  test('turns layout tables into text', () => {
    const text = textOf(
      '<body><table><tr><td>Menu</td><td><h2>News</h2><p>Text</p><table><tr><td>a</td><td>b</td></tr></table></td></tr></table></body>',
    );
    expect(text).toContain('## News\n\nText');
    expect(text).toContain('| a | b |');
  });

  test('keeps merged cells in their columns, and the caption of a table', () => {
    const text =
      textOf(`<body><table><caption>Prices</caption><tr><th>Tier</th><th colspan="2">Cost</th></tr>
      <tr><td rowspan="2">Gold</td><td>a</td><td>1|2</td></tr><tr><td>b</td><td><p>3</p><pre>x
y</pre></td></tr></table></body>`);
    expect(text).toBe(
      'Prices\n\n| Tier | Cost |  |\n| --- | --- | --- |\n| Gold | a | 1\\|2 |\n| Gold | b | 3 `x y` |',
    );
  });

  test('keeps nested lists, definitions, tasks, superscripts and formulas, and whole words', () => {
    const text =
      textOf(`<body><ol start="3"><li><p>One</p><ul><li>in<b>ner</b></li></ul></li><li>Two
      <pre class="lang-none"><code class="hljs language-Rust">fn a() {

}</code></pre></li></ol>
      <dl><dt><code>--all</code></dt><dd>Every one<p>of them</p></dd><div><dt>-q</dt><dd>quiet</dd></div></dl>
      <ul><li><input type="checkbox" checked> done</li></ul><form><input type="checkbox"> I agree</form>
      <p>10<sup>6</sup> snake_case Donau&shy;dampf <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></p></body>`);
    expect(text).toBe(`3. One
   - in**ner**
4. Two

   \`\`\`rust
   fn a() {

   }
   \`\`\`

\`--all\`
: Every one

  of them

-q
: quiet

- [x] done

I agree

10^6 snake_case Donaudampf $x^2$`);
  });

  test.each([
    [
      '<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>',
      'python',
    ],
    ['<pre data-lang="go"><code>x</code></pre>', 'go'],
    [
      '<div class="highlight"><pre class="chroma"><code class="language-yaml" data-lang="yaml">x</code></pre></div>',
      'yaml',
    ],
    ['<pre class="brush: sql">x</pre>', 'sql'],
    ['<pre>x</pre>', ''],
    ['<pre class="line-numbers language-none">x</pre>', ''],
  ])('names the language of %s', (html, language) => {
    expect(textOf(`<body>${html}</body>`)).toBe(`\`\`\`${language}\nx\n\`\`\``);
  });

  test('keeps lines of code without line breaks, and drops the column of line numbers', () => {
    const text =
      textOf(`<body><pre><code><span class="token-line">a</span><span class="token-line">  b</span></code></pre>
      <figure class="highlight"><table><tr><td class="gutter"><pre>1
2</pre></td><td class="code"><pre>c
d</pre></td></tr></table></figure></body>`);
    expect(text).toBe('```\na\n  b\n```\n\n```\nc\nd\n```');
  });

  test('keeps the menu of a restaurant, a bakery of cookies, and tabs that are not selected', () => {
    const dishes = 'Soup of the day with bread and butter, fish from the harbour. '.repeat(5);
    const text = textOf(`<body><h1>Inn</h1><p>${'Welcome to our house by the sea. '.repeat(20)}</p>
      <div class="menu">${dishes}</div><div class="cookie-recipe">Oat cookies</div>
      <div role="tabpanel" hidden>npm install</div><div hidden>template</div></body>`);
    expect(text).toContain('Soup of the day');
    expect(text).toContain('Oat cookies');
    expect(text).toContain('npm install');
    expect(text).not.toContain('template');
  });

  test('keeps an index of links below a few words, and the text around an empty main element', () => {
    const list = (from: number): string =>
      `<h2>Part ${from}</h2><ul>${Array.from({ length: 9 }, (_, index) => `<li><a href="/${from}-${index}">Chapter ${from}-${index} of the book</a></li>`).join('')}</ul>`;
    expect(textOf(`<body><h1>Index</h1>${list(1)}${list(2)}${list(3)}</body>`)).toContain(
      'Chapter 3-8',
    );
    const prose = 'Words that somebody wrote for others to read. '.repeat(60);
    expect(textOf(`<body><main>Loading…</main><div>${prose}</div></body>`)).toContain(
      'somebody wrote',
    );
  });

  test('removes the sticky parts only of Mintlify sites', () => {
    const body = '<body><p>Words</p><div class="sticky">Ask a question</div></body>';
    const mintlify = `<meta name="generator" content="Mintlify">${body}`;
    expect(textOf(mintlify)).toBe('Words');
    expect(textOf(mintlify, false)).toContain('Ask');
    expect(textOf(body)).toContain('Ask');
  });

  test('has the title that the page uses for sharing, and its metadata', () => {
    const page =
      openPage(`<html lang="de"><head><title>Guide | Acme</title><meta property="og:title" content="Guide">
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

  test('comes from its header, then its meta tag, then its bytes', () => {
    expect(decodePage(encoded, 'text/html; charset=windows-1251')).toBe(russian);
    const meta = Buffer.concat([Buffer.from('<meta charset="windows-1251">'), encoded]);
    expect(decodePage(meta, 'text/html')).toContain(russian);
    expect(decodePage(encoded, 'text/html')).toBe(russian);
    expect(decodePage(Buffer.from(`\uFEFF${russian}`), 'text/html; charset=latin1')).toContain(
      russian,
    );
  });

  test('stays UTF-8 despite an invalid byte', () => {
    const bytes = Buffer.concat([
      Buffer.from(`${russian} `),
      Buffer.from([0xd0]),
      Buffer.from('!'),
    ]);
    expect(decodePage(bytes, 'text/html; charset=utf-8')).toBe(`${russian} \uFFFD!`);
  });

  test('ignores a wrong header', () => {
    expect(decodePage(encoded, 'text/html; charset=utf-8')).toBe(russian);
    expect(decodePage(Buffer.from(russian), 'text/html; charset=nonsense')).toBe(russian);
    expect(decodePage(Buffer.from([0, 1, 2, 3, 0, 1, 2, 3]), 'text/html')).toBeNull();
    const wide = '<meta charset="utf-16">Grüße';
    expect(decodePage(Buffer.from(wide), 'text/html')).toBe(wide);
    expect(decodePage(Buffer.from(wide), 'text/html; charset=utf-16le')).toBe(wide);
    expect(decodePage(Buffer.from(wide, 'utf16le'), 'text/html; charset=utf-16')).toBe(wide);
    const kana = '日本語の説明書です。設定を読む。';
    expect(decodePage(iconv.encode(kana, 'shift_jis'), 'text/html; charset=Shift_JIS')).toBe(kana);
  });
});

test('addresses lose fragments, sessions and tracking, but keep the rest of their query', () => {
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

test('a scope is a folder, whichever of its files was given', () => {
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

test('directives for other robots are ignored', () => {
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
