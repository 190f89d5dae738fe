import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { parseFile } from '#src/files/parse-file.ts';
import type { ParsedFile } from '#src/files/parsed-file.ts';
import { openParserPool } from '#src/files/parser-pool.ts';
import { buildProtectedPdf } from '#test/support/build-office-files.ts';

const parse = (
  name: string,
  content: string | Uint8Array,
  password?: string,
): Promise<ParsedFile> =>
  parseFile({
    name,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    signal: new AbortController().signal,
    ...(password === undefined ? {} : { password }),
  });
const textOf = (file: ParsedFile): string => file.sections.map(({ text }) => text).join('\n\n');

describe('EML', () => {
  const lines = (...all: string[]): string => all.join('\r\n');

  test('has subject, people, date, text and the names of attachments', async () => {
    const parsed = await parse(
      'a.eml',
      lines(
        'From: =?utf-8?q?J=C3=BCrgen?= <j@x.example>',
        'To: Team: a@x.example, Bob <b@x.example>;',
        'Subject: =?utf-8?b?R3LDvMOfZQ==?=',
        'Date: Tue, 03 Feb 2026 10:00:00 +0100',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Sch=F6ne Gr=FC=DFe',
        '--b',
        'Content-Type: application/pdf; name="plan.pdf"',
        'Content-Disposition: attachment; filename="plan.pdf"',
        'Content-Transfer-Encoding: base64',
        '',
        'JVBERi0=',
        '--b--',
      ),
    );
    expect(parsed).toEqual({
      title: 'Grüße',
      sections: [
        {
          text: '# Grüße\n\nFrom: Jürgen <j@x.example>\nTo: a@x.example, Bob <b@x.example>\nDate: 2026-02-03T09:00:00.000Z\n\nSchöne Grüße\n\nAttachments: plan.pdf',
          link: null,
        },
      ],
      metadata: {
        from: 'Jürgen <j@x.example>',
        to: ['a@x.example', 'Bob <b@x.example>'],
        date: '2026-02-03T09:00:00.000Z',
        attachments: ['plan.pdf'],
      },
    });
  });

  test('without text has its HTML as Markdown, and the text of forwarded messages', async () => {
    const html = lines('Subject: S', 'Content-Type: text/html', '', '<h2>Part</h2><p>Text</p>');
    expect(textOf(await parse('a.eml', html))).toContain('## Part\n\nText');
    const inner = lines('Subject: Inside', 'From: in@x.example', '', 'Inner text.');
    const outer = lines('Subject: Outside', 'Content-Type: message/rfc822', '', inner);
    expect(textOf(await parse('a.eml', outer))).toMatch(
      /# Outside[\s\S]*Inside[\s\S]*Inner text\./,
    );
  });

  test('without an extension is recognized by its headers, but a note with a colon is not', async () => {
    const message = lines('Received: from x', 'Subject: Hello', '', 'Body');
    expect((await parse('12345', message)).title).toBe('Hello');
    expect((await parse('note', 'Remember: milk\nAnd: bread')).title).toBe('note');
    expect((await parse('mail.log', message)).title).toBe('mail.log');
  });

  test('with parts nested too deeply is refused', async () => {
    const open = Array.from({ length: 300 }, (_, index) =>
      lines(`Content-Type: multipart/mixed; boundary=b${index}`, '', `--b${index}`, ''),
    );
    await expect(parse('a.eml', open.join(''))).rejects.toThrow(/^a\.eml is a damaged EML file/);
  });
});

test.each([
  ['a.json', '{"a": 1}'],
  ['a.yaml', 'a: 1\n'],
  ['a.xml', '<!doctype html><html><title>T</title></html>'],
  ['a.php', '<html><?php echo 1 ?></html>'],
  ['a.log', 'Received: 1\nMIME-Version: 2\n'],
])('%s is text and stays unchanged', async (name, content) => {
  expect(await parse(name, content)).toEqual({
    title: name,
    sections: [{ text: content, link: null }],
    metadata: {},
  });
});

test('an OpenDocument file is identified as one', async () => {
  const mediaType = strToU8('application/vnd.oasis.opendocument.text');
  const file = zipSync({ mimetype: [mediaType, { level: 0 }], 'content.xml': strToU8('<a/>') });
  await expect(parse('a.odt', file)).rejects.toThrow(
    'a.odt is an OpenDocument file; save it as DOCX',
  );
});

describe('a protected PDF', () => {
  const file = buildProtectedPdf('Secret text', 'open sesame');

  test('is read with its password', async () => {
    expect(textOf(await parse('a.pdf', file, 'open sesame'))).toBe('Secret text');
  });

  test('is also read with its password in a parser process', async () => {
    await using pool = openParserPool({ processes: 1 });
    const { signal } = new AbortController();
    const parsed = await pool.parse({
      name: 'a.pdf',
      bytes: file,
      password: 'open sesame',
      owner: 'one',
      signal,
    });
    expect(textOf(parsed)).toBe('Secret text');
  });

  test('reports a missing or a wrong password', async () => {
    await expect(parse('a.pdf', file)).rejects.toThrow('a.pdf is protected by a password');
    await expect(parse('a.pdf', file, 'wrong')).rejects.toThrow(
      'a.pdf is protected by a different password than the one given',
    );
  });
});
