import { describe, expect, test } from 'vitest';
import { parseHtml } from '#src/files/parse-html.ts';
import { pagesOf, withoutLabels } from '#test/fixtures/documentation/generator.ts';
import { GENERATORS } from '#test/fixtures/documentation/generators.ts';
import { readLabels } from '#test/fixtures/documentation/labels.ts';
import { compareWords } from '#test/support/compare-words.ts';

const PROSE =
  'The ink tool uses a simulation of a pen with a controllable nib to paint solid strokes with a smooth edge.';

/** The text of a page with this body. */
function textOf(body: string, head = ''): string {
  const html = `<html><head><title>Ink</title>${head}</head><body>${body}</body></html>`;
  return parseHtml('ink.html', html)
    .sections.map(({ text }) => text)
    .join('\n');
}

describe('a page saved as a file', () => {
  test('loses the tables that link to its neighbours in a book', () => {
    const links =
      '<a rel="prev" href="a.html">Prev</a></td><td>3. Paint Tools</td><td><a rel="next" href="b.html">Next</a>';
    const head =
      '<link rel="prev" href="a.html" title="Airbrush"><link rel="next" href="b.html" title="Blend"><link rel="up" href="c.html" title="3. Paint Tools">';
    const text = textOf(
      `<div class="x1"><table><tr><th colspan="3">Ink</th></tr><tr><td>${links}</td></tr></table></div><h1>Ink</h1><p>${PROSE}</p>`,
      head,
    );
    expect(text).toBe(`# Ink\n\n${PROSE}`);
  });

  test('is read whole when it has only a footer', () => {
    expect(textOf('<footer><p>Moved to the archive.</p></footer>')).toBe('Moved to the archive.');
  });
});

describe('a picture', () => {
  test('does not repeat its caption', () => {
    const figure =
      '<div><p><b>Figure 7. The Ink tool</b></p><div><img alt="The Ink tool" src="ink.png"></div></div>';
    expect(textOf(`<p>${PROSE}</p>${figure}`)).toBe(`${PROSE}\n\n**Figure 7. The Ink tool**`);
  });

  test('keeps a text that its caption does not contain', () => {
    const figure =
      '<figure><img alt="A goose quill" src="q.png"><figcaption>Ink</figcaption></figure>';
    expect(textOf(`<p>${PROSE}</p>${figure}`)).toContain('A goose quill');
  });

  test('keeps a text that is only part of a word beside it', () => {
    expect(textOf('<p>Inkwell <img alt="ink" src="i.png"></p>')).toBe('Inkwell ink');
  });
});

test('a note with an icon beside it is text, not a table', () => {
  const note = `<table><tr><td rowspan="2"><img alt="[Note]" src="n.png"></td><th>Note</th></tr><tr><td><p>${PROSE}</p></td></tr></table>`;
  expect(textOf(note)).toBe(`Note\n\n${PROSE}`);
});

test('a table whose first column has pictures for some rows stays a table', () => {
  const rows =
    '<tr><td><img alt="ink" src="i.png"></td><td>wet</td></tr><tr><td>Chalk</td><td>dry</td></tr>';
  expect(textOf(`<p>${PROSE}</p><table>${rows}</table>`)).toContain('| Chalk | dry |');
});

test.for(GENERATORS.map((generator) => [generator.name, generator] as const))(
  'a single page of %s keeps all words that a reader wants',
  ([, generator]) => {
    for (const { path, html } of pagesOf(generator)) {
      const { sections } = parseHtml('page.html', withoutLabels(html));
      const text = sections.map((section) => section.text).join('\n');
      expect(compareWords(text, readLabels(html)).missing, path).toEqual([]);
    }
  },
);
