import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/connectors/kinds/web/extract-page.ts';
import { openPage } from '#src/files/open-page.ts';

const textOf = (html: string): string =>
  extractPage(openPage(html), 'fallback', { mintlifyCleanup: true }).text;

const PROSE =
  'Whoever keeps bees looks after them in spring, when the first flowers open and the hive needs room to grow.';

describe('links to the previous and next pages', () => {
  const head =
    '<head><title>Bees</title><link rel="prev" href="ants.html" title="Ants"><link rel="next" href="wasps.html" title="Wasps"><link rel="up" href="insects.html" title="Insects"></head>';

  test('are removed with the titles beside them, whatever the name of their box', () => {
    const header =
      '<div class="x1"><table><tr><th colspan="3">Bees</th></tr><tr><td><a href="ants.html">Zurück</a></td><th>Insects</th><td><a href="wasps.html">Weiter</a></td></tr></table></div>';
    const footer =
      '<div class="x2"><table><tr><td><a href="ants.html">Zurück</a></td><td><a href="wasps.html">Weiter</a></td></tr><tr><td>Ants</td><td>Wasps</td></tr></table></div>';
    const text = textOf(
      `<html>${head}<body>${header}<div><h2>Bees</h2><p>Short.</p></div>${footer}</body></html>`,
    );
    expect(text).toBe('## Bees\n\nShort.');
  });

  test('are removed when only the links say what they are', () => {
    const bar =
      '<p>Next: <a href="wasps.html" rel="next">Wasps</a>, Previous: <a href="ants.html" rel="prev">Ants</a>, Up: <a href="insects.html" rel="up">Insects</a></p>';
    expect(textOf(`<body><div>${bar}<h3>Bees</h3><p>${PROSE}</p></div></body>`)).toBe(
      `### Bees\n\n${PROSE}`,
    );
  });

  test('stay within a sentence', () => {
    const sentence = `${PROSE} More on that is in the chapter on <a href="wasps.html">wasps</a>.`;
    expect(textOf(`<html>${head}<body><h2>Bees</h2><p>${sentence}</p></body></html>`)).toContain(
      'in the chapter on wasps.',
    );
  });
});

describe('box names', () => {
  test.each([
    'navheader',
    'navfooter',
    'docnav top',
    'toplang',
    'bottomlang',
    'breadcrumb',
    'language-switcher',
    'edit-this-page',
    'skip-to-content',
    'back-to-top',
    'last-updated',
  ])('such as %s remove the box', (name) => {
    const box = `<div class="${name}"><p>Something <a href="/x">else</a></p></div>`;
    expect(textOf(`<body>${box}<div><h1>Bees</h1><p>${PROSE}</p></div></body>`)).toBe(
      `# Bees\n\n${PROSE}`,
    );
  });

  test('such as sidebar remove a list of links, but not a note', () => {
    const page = (box: string): string =>
      textOf(
        `<body><div><h1>Bees</h1><p>${PROSE} ${PROSE} ${PROSE}</p><div class="sidebar">${box}</div></div></body>`,
      );
    expect(page(`<p>CULTURE</p><p>${PROSE}</p>`)).toContain('CULTURE');
    expect(page('<a href="/a">Ants</a> <a href="/b">Wasps</a>')).not.toContain('Wasps');
  });
});

test('symbols that link to a place on the page are removed, but footnotes stay', () => {
  const text = textOf(
    `<body><main><h2>Bees <a href="#bees">¶</a><a href="#bees">🔗</a></h2><p>${PROSE} <a href="#note">[1]</a></p><a href="#top"><img alt="up" src="up.gif"></a></main></body>`,
  );
  expect(text).toBe(`## Bees\n\n${PROSE} [1]`);
});

describe('unnamed lists of links', () => {
  const links = (count: number): string =>
    Array.from({ length: count }, (_, at) => `<li><a href="/${at}">Chapter ${at}</a></li>`).join(
      '',
    );

  test('are removed before and beside the text, but stay within it', () => {
    const text = textOf(
      `<body><div><ul>${links(5).replaceAll('Chapter', 'Menu')}</ul></div><div><h1>Bees</h1><p>${PROSE}</p><ul>${links(5)}</ul><p>${PROSE}</p></div></body>`,
    );
    expect(text).not.toContain('Menu');
    expect(text).toContain('Chapter 4');
  });

  test('are the text of an index, even with more text at its end', () => {
    const text = textOf(
      `<body><div><h1>Index</h1><ul>${links(60)}</ul></div><div><p>${PROSE}</p></div></body>`,
    );
    expect(text).toContain('Chapter 59');
  });
});
