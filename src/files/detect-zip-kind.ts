import { GiveUp } from '#src/platform/errors.ts';
import { DOCUMENT_ZIP_LIMITS } from './check-zip.ts';
import { type FileKind, SUPPORTED_KINDS } from './file-kind.ts';
import type { FileToParse } from './parsed-file.ts';
import { readZipDirectory, storedZipEntry } from './read-zip.ts';

type ZipKind = Extract<FileKind, 'docx' | 'pptx' | 'xlsx' | 'epub'>;

/** The part that identifies each kind; some programs number it: `word/document2.xml`. */
const MAIN_PARTS: [kind: ZipKind, part: RegExp][] = [
  ['docx', /^word\/document\d*\.xml$/i],
  ['pptx', /^ppt\/presentation\d*\.xml$/i],
  ['xlsx', /^xl\/workbook\d*\.xml$/i],
  ['epub', /^META-INF\/container\.xml$/],
];
const OPEN_DOCUMENT = /^application\/vnd\.oasis\.opendocument\./;

/**
 * Determines the kind of a zip container by its entries.
 * @param byExtension the kind that the name indicates, used in messages about a damaged container
 * @throws GiveUp when it is damaged or none of the supported kinds
 */
export function detectZipKind(file: FileToParse, byExtension: FileKind | null): ZipKind {
  const zip = { ...file, format: byExtension?.toUpperCase() ?? 'ZIP' };
  const entries = readZipDirectory(zip, DOCUMENT_ZIP_LIMITS);
  const first = entries.find(({ name }) => name === 'mimetype');
  const mediaType =
    first === undefined ? '' : (storedZipEntry(zip, first)?.toString('latin1') ?? '');
  if (OPEN_DOCUMENT.test(mediaType)) {
    throw new GiveUp(`${file.name} is an OpenDocument file; save it as DOCX, PPTX, XLSX or PDF.`);
  }
  for (const [kind, part] of MAIN_PARTS) {
    if (entries.some(({ name }) => part.test(name))) return kind;
  }
  if (mediaType.startsWith('application/epub+zip')) return 'epub';
  throw new GiveUp(
    `${file.name} is a zip container without a Word document, presentation, workbook or book in it. Supported: ${SUPPORTED_KINDS}.`,
  );
}
