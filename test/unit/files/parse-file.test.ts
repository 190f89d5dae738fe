import { randomBytes } from 'node:crypto';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { parseFile } from '#src/files/parse-file.ts';
import type { ParsedFile } from '#src/files/parsed-file.ts';
import { buildDocx, buildPdf, buildZip } from '#test/support/build-files.ts';

const parse = (name: string, content: string | Uint8Array): Promise<ParsedFile> =>
  parseFile({
    name,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    signal: new AbortController().signal,
  });
const textOf = (file: ParsedFile): string => file.sections.map(({ text }) => text).join('\n\n');

describe('an unreadable file fails with the reason', () => {
  test('when it is empty', async () => {
    await expect(parse('a.md', '')).rejects.toThrow('a.md is empty.');
    await expect(parse('a.md', ' \n\n ')).rejects.toThrow('a.md contains no text.');
  });

  test('when it is a truncated PDF', async () => {
    const whole = buildPdf(['one', 'two']);
    await expect(parse('cut.pdf', whole.subarray(0, 60))).rejects.toThrow(
      /cut\.pdf is a damaged PDF/,
    );
  });

  test('when it is a PDF without a text layer', async () => {
    await expect(parse('scan.pdf', buildPdf(['', '']))).rejects.toThrow(
      /scan\.pdf has no text layer: its 2 pages are pictures/,
    );
  });

  test('when random bytes are named .docx or .pdf', async () => {
    const noise = Buffer.concat([Buffer.from([1, 2]), randomBytes(5000)]);
    await expect(parse('noise.docx', noise)).rejects.toThrow(/not a DOCX file/);
    await expect(parse('noise.pdf', noise)).rejects.toThrow(/not a PDF file/);
  });

  test('when it is a binary file of an unknown kind, listing the supported kinds', async () => {
    const noise = Buffer.concat([Buffer.from([1, 2]), randomBytes(5000)]);
    await expect(parse('noise', noise)).rejects.toThrow(/Supported: text, Markdown, HTML, PDF/);
    await expect(parse('noise.csv', noise)).rejects.toThrow(/binary file/);
    await expect(
      parse('data.zip', buildZip([{ name: 'a', content: Buffer.from('a') }])),
    ).rejects.toThrow(/zip container without a Word document/);
    await expect(parse('old.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toThrow(
      /old or password/,
    );
  });

  test('when a DOCX file is truncated', async () => {
    const whole = buildDocx('Title', ['Text']);
    await expect(parse('cut.docx', whole.subarray(0, whole.length - 40))).rejects.toThrow(
      /cut\.docx is a damaged DOCX file: its end is missing/,
    );
  });

  test('when a DOCX file is a zip bomb that declares its size', async () => {
    const bomb = Buffer.alloc(210 * 1024 * 1024);
    const file = buildDocx('Title', [], [{ name: 'word/media/x.bin', content: bomb }]);
    expect(file.length).toBeLessThan(1024 * 1024);
    await expect(parse('bomb.docx', file)).rejects.toThrow(
      /unpacks to 210 MB; the limit is 200 MB/,
    );
  });

  test('when a DOCX file is a zip bomb with a false size', async () => {
    const bomb = { name: 'word/x.xml', content: Buffer.alloc(5_000_000), declaredBytes: 1000 };
    await expect(parse('liar.docx', buildDocx('Title', [], [bomb]))).rejects.toThrow(
      /unpacks to more than it declares/,
    );
  });

  test('when a DOCX file has more entries than any document needs', async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => ({
      name: `word/document${index}`,
      content: Buffer.alloc(0),
    }));
    await expect(parse('many.docx', buildZip(many))).rejects.toThrow(/holds 5001 entries/);
  });
});

describe('text', () => {
  test.each([
    ['utf-8 with a byte order mark', Buffer.from('\uFEFFGrüße, мир')],
    ['utf-16le with a byte order mark', iconv.encode('Grüße, мир', 'utf-16le', { addBOM: true })],
    ['utf-16be with a byte order mark', iconv.encode('Grüße, мир', 'utf-16be', { addBOM: true })],
    ['utf-32le with a byte order mark', iconv.encode('Grüße, мир', 'utf-32le', { addBOM: true })],
  ])('is decoded from %s', async (_, bytes) => {
    expect(textOf(await parse('note.txt', bytes))).toBe('Grüße, мир');
  });

  test('is decoded from UTF-16 without a byte order mark', async () => {
    const text = 'The quick brown fox jumps over the lazy dog.';
    expect(textOf(await parse('note.txt', iconv.encode(text, 'utf-16le', { addBOM: false })))).toBe(
      text,
    );
  });

  test('is decoded from a legacy encoding', async () => {
    const text =
      'В начале работы программа читает настройки и открывает базу данных, а потом ждёт новых сообщений.';
    expect(textOf(await parse('note.txt', iconv.encode(text, 'windows-1251')))).toBe(text);
  });

  test('has normalized line endings and its file name as title', async () => {
    expect(await parse('logs/day.log', 'one\r\ntwo\rthree\n')).toEqual({
      title: 'day.log',
      sections: [{ text: 'one\ntwo\nthree\n', link: null }],
      metadata: {},
    });
  });
});

describe('Markdown', () => {
  test.each([
    ['its first heading', 'text\n\n# The `title` of [it](x) #\n', 'The title of it'],
    ['an underlined heading', 'Title\n=====\n\ntext', 'Title'],
    ['its front matter', '---\ntitle: "Front"\n---\n# Heading', 'Front'],
    ['its file name when there is no heading outside code', '```\n# comment\n```\ntext', 'a.md'],
    ['its file name when there is no heading at all', 'text', 'a.md'],
  ])('takes its title from %s', async (_, text, title) => {
    expect((await parse('docs/a.md', text)).title).toBe(title);
  });
});

describe('HTML', () => {
  test('without a body yields its text', async () => {
    expect(textOf(await parse('a.html', 'just text'))).toBe('just text');
    await expect(parse('a.html', '<html><head><title>T</title></head></html>')).rejects.toThrow(
      'a.html contains no text.',
    );
  });

  test('drops navigation, scripts and footers, and keeps its structure', async () => {
    const page = `<!doctype html><title> My  page </title><meta name="Keywords" content="a, b">
      <nav>Home</nav><script>alert(1)</script><main><h2>Part</h2><p>See <a href="https://x.example/">this</a>.</p>
      <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2|3</td></tr></table></main><footer>Imprint</footer>`;
    const parsed = await parse('page', page);
    expect(parsed.title).toBe('My page');
    expect(parsed.metadata).toEqual({ keywords: ['a', 'b'] });
    expect(textOf(parsed)).toBe(
      '## Part\n\nSee [this](https://x.example/).\n\n| A | B |\n| --- | --- |\n| 1 | 2\\|3 |',
    );
  });
});

describe('PDF', () => {
  test('has a section for each page with text, linked to the page', async () => {
    const parsed = await parse('a.pdf', buildPdf(['First page', '', 'Third page'], 'Report'));
    expect(parsed.title).toBe('Report');
    expect(parsed.sections).toEqual([
      { text: 'First page', link: '#page=1' },
      { text: 'Third page', link: '#page=3' },
    ]);
  });

  test('is recognized by its content when the name has no extension', async () => {
    expect((await parse('download', buildPdf(['Hello']))).sections).toHaveLength(1);
  });
});

test('DOCX becomes Markdown with its heading as title', async () => {
  expect(await parse('a.docx', buildDocx('Plan', ['First.', 'Second.']))).toEqual({
    title: 'Plan',
    sections: [{ text: '# Plan\n\nFirst.\n\nSecond.', link: null }],
    metadata: {},
  });
});

describe('CSV', () => {
  test('with uneven rows keeps every cell', async () => {
    expect(textOf(await parse('a.csv', 'name;age\r\na;1\r\n"b|""x""\nc";2;3\r\n\r\nd'))).toBe(
      '| name | age | column 3 |\n| --- | --- | --- |\n| a | 1 |  |\n| b\\|"x" c | 2 | 3 |\n| d |  |  |',
    );
  });

  test('repeats the header in each group of rows', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => `${index}\tvalue ${index}`);
    const { sections } = await parse('a.tsv', `id\tvalue\n${rows.join('\n')}`);
    expect(sections.length).toBeGreaterThan(3);
    for (const { text } of sections)
      expect(text.startsWith('| id | value |\n| --- | --- |\n')).toBe(true);
    expect(sections.at(-1)?.text.endsWith('| 999 | value 999 |')).toBe(true);
  });

  test('with only a header keeps the column names', async () => {
    expect(textOf(await parse('a.csv', 'name,age'))).toBe('name, age');
  });
});
