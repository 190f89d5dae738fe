import { describe, expect, test } from 'vitest';
import { parseFile } from '#src/files/parse-file.ts';
import type { ParsedFile } from '#src/files/parsed-file.ts';
import { buildDocx, type ZipEntry } from '#test/support/build-files.ts';
import {
  buildEpub,
  buildPptx,
  buildXlsx,
  entry,
  paragraph,
  shape,
  sheetRows,
} from '#test/support/build-office-files.ts';

const parse = (name: string, content: string | Uint8Array): Promise<ParsedFile> =>
  parseFile({
    name,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    signal: new AbortController().signal,
  });
const textOf = (file: ParsedFile): string => file.sections.map(({ text }) => text).join('\n\n');

const BUILDERS: [extension: string, build: (extra: ZipEntry[]) => Buffer][] = [
  ['docx', (extra) => buildDocx('Title', ['Text'], extra)],
  ['pptx', (extra) => buildPptx([{ title: 'Title' }], extra)],
  ['xlsx', (extra) => buildXlsx({ One: sheetRows([['a'], ['b']]) }, extra)],
  ['epub', (extra) => buildEpub({ 'a.xhtml': '<html><body>Text</body></html>' }, '', extra)],
];

describe.each(BUILDERS)('a file named .%s', (extension, build) => {
  const name = `file.${extension}`;
  const kind = extension.toUpperCase();

  test('reports the damage when it is truncated', async () => {
    const whole = build([]);
    await expect(parse(name, whole.subarray(0, whole.length - 40))).rejects.toThrow(
      `${name} is a damaged ${kind} file: its end is missing`,
    );
  });

  test('is refused as a zip bomb, whether its size is declared or false', async () => {
    // Placed in a part that every parser unpacks.
    const part =
      { docx: 'word/x.xml', pptx: 'ppt/x.xml', xlsx: 'xl/x.xml', epub: 'x.xhtml' }[extension] ?? '';
    const content = Buffer.alloc(5_000_000);
    const honest = { name: part, content, declaredBytes: 201 * 1024 * 1024 };
    await expect(parse(name, build([honest]))).rejects.toThrow(
      /unpacks to 201 MB; the limit is 200 MB/,
    );
    const lie = { name: part, content, declaredBytes: 1_000 };
    await expect(parse(name, build([lie]))).rejects.toThrow(/unpacks to more than it declares/);
  });

  test('is recognized by its content under another name', async () => {
    expect((await parse('download', build([]))).sections.length).toBeGreaterThan(0);
    expect((await parse('wrong.docx', build([]))).sections.length).toBeGreaterThan(0);
  });

  test('is refused when its content is plain text', async () => {
    await expect(parse(name, 'just text')).rejects.toThrow(`its content is not a ${kind} file`);
  });
});

const ENTITIES = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>`;

describe('XML', () => {
  test('with its own entities neither expands nor fetches them', async () => {
    const slide = `${ENTITIES}<p:sld xmlns:p="p" xmlns:a="a">${shape(paragraph('[&b;&file;&amp;]'))}</p:sld>`;
    const deck = await parse(
      'a.pptx',
      buildPptx([{ title: 'x' }], [entry('ppt/slides/slide1.xml', slide)]),
    );
    const chapter = `${ENTITIES}<html><body>[&b;&file;&amp;]</body></html>`;
    const book = await parse('a.epub', buildEpub({ 'a.xhtml': chapter }));
    const row = '<row r="1"><c r="A1" t="inlineStr"><is><t>[&amp;]</t></is></c></row>';
    const sheet = `${ENTITIES}<worksheet><sheetData>${row}</sheetData></worksheet>`;
    const workbook = await parse(
      'a.xlsx',
      buildXlsx({ S: '' }, [entry('xl/worksheets/sheet1.xml', sheet)]),
    );
    for (const file of [deck, book, workbook]) {
      expect(textOf(file)).toMatch(/\[.*&\\?\]/);
      expect(textOf(file)).not.toMatch(/root:|aaaa/);
    }
  });

  test('nested too deeply fails alone, with the reason', async () => {
    const depth = 10_000;
    const nested = (tag: string, inner: string): string =>
      `<${tag}>`.repeat(depth) + inner + `</${tag}>`.repeat(depth);
    const slide = `<p:sld xmlns:p="p" xmlns:a="a">${nested('p:grpSp', shape(paragraph('deep')))}</p:sld>`;
    const results = await Promise.allSettled([
      parse('a.pptx', buildPptx([{ title: 'x' }], [entry('ppt/slides/slide1.xml', slide)])),
      parse(
        'a.epub',
        buildEpub({ 'a.xhtml': `<html><body>${nested('div', 'deep')}</body></html>` }),
      ),
    ]);
    for (const result of results) {
      if (result.status === 'fulfilled') expect(textOf(result.value)).toContain('deep');
      else expect(String(result.reason)).toMatch(/^GiveUp: a\.\w+ is a damaged/);
    }
  });
});

describe('PPTX', () => {
  test('has a section per slide in presentation order, with tables, lists and notes', async () => {
    const cell = (text: string): string => `<a:tc><a:txBody>${paragraph(text)}</a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell('Year')}${cell('Sales')}</a:tr><a:tr>${cell('2025')}${cell('1|2')}</a:tr></a:tbl></p:graphicFrame>`;
    const list = shape(
      `${paragraph('Points')}${paragraph('First', 1)}<a:p><a:r><a:t>Sec</a:t></a:r><a:r><a:t>ond</a:t></a:r><a:br/><a:r><a:t>line</a:t></a:r></a:p>`,
    );
    const twice = `<mc:AlternateContent><mc:Choice>${shape(paragraph('Once'))}</mc:Choice><mc:Fallback>${shape(paragraph('Once'))}</mc:Fallback></mc:AlternateContent>`;
    const parsed = await parse(
      'a.pptx',
      buildPptx([
        { title: 'Opening', body: list, notes: 'Say hello.' },
        { body: `${table}${twice}` },
        {},
        { title: 'End' },
      ]),
    );
    expect(parsed.title).toBe('Opening');
    expect(parsed.sections).toEqual([
      {
        text: '# Opening\n\nPoints\n  - First\nSecond\nline\n\nNotes:\nSay hello.',
        link: '#slide=1',
      },
      { text: '| Year | Sales |\n| --- | --- |\n| 2025 | 1\\|2 |\n\nOnce', link: '#slide=2' },
      { text: '# End', link: '#slide=4' },
    ]);
  });

  test('whose list names a missing slide is damaged', async () => {
    const broken = buildPptx(
      [{ title: 'x' }],
      [entry('ppt/_rels/presentation.xml.rels', '<Relationships/>')],
    );
    await expect(parse('a.pptx', broken)).rejects.toThrow(
      'a.pptx is a damaged PPTX file: its slide 1 is missing.',
    );
  });
});

describe('XLSX', () => {
  test('has each sheet as a table, with dates as ISO 8601', async () => {
    const parsed = await parse(
      'a.xlsx',
      buildXlsx({
        Orders: sheetRows([
          [],
          ['Item', 'Price', 'Ordered'],
          ['Pen', 1.5, new Date('2026-01-31')],
          [null, null, null],
          ['Ink', -2, new Date('2026-02-01T10:30:00Z')],
        ]),
        Empty: '',
        'More things': sheetRows([['Only'], ['one']]),
      }),
    );
    expect(parsed.title).toBe('a.xlsx');
    expect(parsed.sections).toEqual([
      {
        text: '## Orders\n\n| Item | Price | Ordered |\n| --- | --- | --- |\n| Pen | 1.5 | 2026-01-31 |\n| Ink | -2 | 2026-02-01T10:30:00 |',
        link: '#sheet=Orders',
      },
      { text: '## More things\n\n| Only |\n| --- |\n| one |', link: '#sheet=More%20things' },
    ]);
  });

  test('repeats sheet name and header in each part of a large sheet', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => [`item ${index}`, index]);
    const { sections } = await parse(
      'a.xlsx',
      buildXlsx({ Big: sheetRows([['Item', 'No'], ...rows]) }),
    );
    expect(sections.length).toBeGreaterThan(3);
    for (const { text } of sections) expect(text).toMatch(/^## Big\n\n\| Item \| No \|\n/);
    expect(sections.at(-1)?.text).toContain('| item 999 | 999 |');
  });

  test('with an invalid cell reference is damaged', async () => {
    const data = '<row r="1"><c r="A1" t="s"><v>99</v></c></row>';
    const outcome = await parse('a.xlsx', buildXlsx({ S: data })).catch((error: unknown) => error);
    expect(String(outcome)).toMatch(/^GiveUp: a\.xlsx/);
  });
});

describe('EPUB', () => {
  const chapter = (body: string): string =>
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body>${body}</body></html>`;

  test('has its chapters in reading order, with title and authors', async () => {
    const parsed = await parse(
      'a.epub',
      buildEpub(
        {
          'z one.xhtml': chapter('<h1>One</h1><p>First<br/>text.</p>'),
          'a.xhtml': chapter('<h1>Two</h1><a id="x"/><p>Second text.</p>'),
        },
        '<dc:title> The\n book</dc:title><dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator><dc:language>en</dc:language>',
      ),
    );
    expect(parsed).toEqual({
      title: 'The book',
      sections: [
        { text: '# One\n\nFirst  \ntext.', link: '#epubcfi(/6/2!)' },
        { text: '# Two\n\nSecond text.', link: '#epubcfi(/6/4!)' },
      ],
      metadata: { author: ['Ada', 'Bob'], language: 'en' },
    });
  });

  test('with protection is refused, but one with only protected fonts is read', async () => {
    const encrypted = (uri: string): ZipEntry =>
      entry(
        'META-INF/encryption.xml',
        `<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:CipherData><enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData></encryption>`,
      );
    const book = (uri: string): Buffer =>
      buildEpub({ 'a b.xhtml': chapter('<p>Text</p>') }, '', [encrypted(uri)]);
    await expect(parse('a.epub', book('OEBPS/a%20b.xhtml'))).rejects.toThrow(/\(DRM\)/);
    expect(textOf(await parse('a.epub', book('OEBPS/font.otf')))).toBe('Text');
  });

  test('with a missing chapter or package is damaged', async () => {
    const whole = { 'a.xhtml': chapter('Text') };
    const empty = entry('META-INF/container.xml', '<container/>');
    await expect(parse('a.epub', buildEpub(whole, '', [empty]))).rejects.toThrow(/names no book/);
    const elsewhere = entry(
      'META-INF/container.xml',
      '<container><rootfile full-path="../../etc/passwd"/></container>',
    );
    await expect(parse('a.epub', buildEpub(whole, '', [elsewhere]))).rejects.toThrow(
      'a.epub is a damaged EPUB file: it has no ../../etc/passwd.',
    );
  });
});
