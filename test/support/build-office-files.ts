import { createHash } from 'node:crypto';
import { buildZip, type ZipEntry } from './build-files.ts';

const xml = (content: string): Buffer => Buffer.from(`<?xml version="1.0"?>${content}`);

export function entry(name: string, content: string): ZipEntry {
  return { name, content: xml(content) };
}

const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function relations(list: [id: string, type: string, target: string][]): string {
  const each = list.map(
    ([id, type, target]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${RELATIONS}">${each.join('')}</Relationships>`;
}

export interface SlideContent {
  title?: string;
  /** DrawingML in the slide's tree, after the title. */
  body?: string;
  notes?: string;
}

export function shape(paragraphs: string, placeholder = ''): string {
  return `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
}

export function paragraph(text: string, level = 0): string {
  return `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`;
}

/** A presentation with its slides in the given order; the part files are numbered in reverse. */
export function buildPptx(slides: SlideContent[], extra: ZipEntry[] = []): Buffer {
  const numberOf = (index: number): number => slides.length - index;
  const parts = slides.flatMap(({ title, body = '', notes }, index) => {
    const number = numberOf(index);
    const heading = title === undefined ? '' : shape(paragraph(title), '<p:ph type="title"/>');
    const tree = `<p:sld xmlns:p="p" xmlns:a="a" xmlns:mc="mc"><p:cSld><p:spTree>${body}${heading}</p:spTree></p:cSld></p:sld>`;
    const slide = entry(`ppt/slides/slide${number}.xml`, tree);
    if (notes === undefined) return [slide];
    const page = `${shape(paragraph(notes), '<p:ph type="body"/>')}${shape(paragraph('7'), '<p:ph type="sldNum"/>')}`;
    return [
      slide,
      entry(
        `ppt/slides/_rels/slide${number}.xml.rels`,
        relations([['r1', 'notesSlide', `../notesSlides/notesSlide${number}.xml`]]),
      ),
      entry(
        `ppt/notesSlides/notesSlide${number}.xml`,
        `<p:notes xmlns:p="p" xmlns:a="a">${page}</p:notes>`,
      ),
    ];
  });
  const listed = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`);
  return buildZip([
    entry('[Content_Types].xml', '<Types/>'),
    entry('_rels/.rels', relations([['r1', 'officeDocument', 'ppt/presentation.xml']])),
    entry(
      'ppt/presentation.xml',
      `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${listed.join('')}</p:sldIdLst></p:presentation>`,
    ),
    entry(
      'ppt/_rels/presentation.xml.rels',
      relations(
        slides.map((_, index) => [`s${index}`, 'slide', `slides/slide${numberOf(index)}.xml`]),
      ),
    ),
    ...parts,
    ...extra,
  ]);
}

/** A workbook of `sheetData` contents by sheet name. Style 1 is a date. */
export function buildXlsx(sheets: Record<string, string>, extra: ZipEntry[] = []): Buffer {
  const names = Object.keys(sheets);
  return buildZip([
    entry('[Content_Types].xml', '<Types/>'),
    entry('_rels/.rels', relations([['r1', 'officeDocument', 'xl/workbook.xml']])),
    entry(
      'xl/workbook.xml',
      `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets>${names
        .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`)
        .join('')}</sheets></workbook>`,
    ),
    entry(
      'xl/_rels/workbook.xml.rels',
      relations([
        ...names.map((_, index): [string, string, string] => [
          `s${index}`,
          'worksheet',
          `worksheets/sheet${index + 1}.xml`,
        ]),
        ['st', 'styles', 'styles.xml'],
      ]),
    ),
    entry(
      'xl/styles.xml',
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>',
    ),
    ...Object.values(sheets).map((data, index) =>
      entry(
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${data}</sheetData></worksheet>`,
      ),
    ),
    ...extra,
  ]);
}

/** Rows of a sheet: text and numbers unchanged, a `Date` as an Excel serial number. */
export function sheetRows(rows: (string | number | Date | null)[][]): string {
  const cell = (value: string | number | Date | null, address: string): string => {
    if (value === null) return '';
    if (typeof value === 'string')
      return `<c r="${address}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const isDate = value instanceof Date;
    const number = isDate ? value.getTime() / 86_400_000 + 25_569 : value;
    return `<c r="${address}" s="${isDate ? 1 : 0}"><v>${number}</v></c>`;
  };
  return rows
    .map((row, index) => {
      const cells = row.map((value, column) =>
        cell(value, `${String.fromCharCode(65 + column)}${index + 1}`),
      );
      return `<row r="${index + 1}">${cells.join('')}</row>`;
    })
    .join('');
}

/** An EPUB of XHTML chapters by file name, in reading order; `metadata` goes into its package. */
export function buildEpub(
  chapters: Record<string, string>,
  metadata = '<dc:title>The book</dc:title><dc:creator>Ada</dc:creator>',
  extra: ZipEntry[] = [],
): Buffer {
  const names = Object.keys(chapters);
  const items = names
    .map(
      (name, index) =>
        `<item id="c${index}" href="${encodeURI(name)}" media-type="application/xhtml+xml"/>`,
    )
    .toReversed();
  const spine = names.map((_, index) => `<itemref idref="c${index}"/>`);
  return buildZip([
    { name: 'mimetype', content: Buffer.from('application/epub+zip') },
    entry(
      'META-INF/container.xml',
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
    entry(
      'OEBPS/book.opf',
      `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ),
    ...names.map((name) => entry(`OEBPS/${name}`, chapters[name] ?? '')),
    ...extra,
  ]);
}

const PASSWORD_PADDING = Buffer.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
  'hex',
);

/**
 * A PDF with one line of text that opens with `password` only: the standard security handler, revision 2
 * (ISO 32000-1, algorithms 1 to 4).
 */
export function buildProtectedPdf(text: string, password: string): Buffer {
  const md5 = (...parts: Buffer[]): Buffer =>
    createHash('md5').update(Buffer.concat(parts)).digest();
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PASSWORD_PADDING]).subarray(0, 32);
  const id = Buffer.alloc(16, 7);
  const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const key = md5(padded, owner, permissions, id).subarray(0, 5);
  const user = rc4(key, PASSWORD_PADDING);
  const objectKey = md5(key, Buffer.from([5, 0, 0, 0, 0])).subarray(0, 10);
  const content = rc4(objectKey, Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`, 'latin1'));
  const hex = (bytes: Buffer): string => `<${bytes.toString('hex')}>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content.toString('latin1')}\nendstream`,
    `<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P -4 >>`,
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${file}xref\n0 7\n0000000000 65535 f \n${table}trailer\n<< /Size 7 /Root 1 0 R /Encrypt 6 0 R /ID [${hex(id)} ${hex(id)}] >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}

/** OpenSSL keeps it only as a legacy algorithm. */
function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 255] ?? 0;
  const swap = (i: number, j: number): void => {
    const kept = at(i);
    state[i & 255] = at(j);
    state[j & 255] = kept;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
