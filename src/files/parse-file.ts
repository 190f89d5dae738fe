import { GiveUp } from '#src/platform/errors.ts';
import { decodeText } from './decode-text.ts';
import { detectKind } from './detect-kind.ts';
import { SUPPORTED_KINDS } from './file-kind.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

/**
 * Parses a file of any supported kind into titled sections of text.
 *
 * Runs in the caller's thread: pass untrusted files to `ParserPool`, which limits time and memory.
 * @throws GiveUp with the reason when the file is empty, damaged or of another kind
 */
export async function parseFile(file: FileToParse & { signal: AbortSignal }): Promise<ParsedFile> {
  const { name, bytes, signal } = file;
  if (bytes.length === 0) throw new GiveUp(`${name} is empty.`);
  const parsed = await parseKind(file);
  signal.throwIfAborted();
  const sections = parsed.sections.filter((section) => section.text.trim() !== '');
  if (sections.length === 0) throw new GiveUp(`${name} contains no text.`);
  return { ...parsed, sections };
}

/** Parsers are loaded on first use: pdf.js alone takes longer to load than most files take to parse. */
async function parseKind(file: FileToParse & { signal: AbortSignal }): Promise<ParsedFile> {
  const { name, bytes } = file;
  const kind = detectKind(file);
  switch (kind) {
    case 'pdf':
      return (await import('./parse-pdf.ts')).parsePdf(file);
    case 'docx':
      return (await import('./parse-docx.ts')).parseDocx(file);
    case 'pptx':
      return (await import('./parse-pptx.ts')).parsePptx(file);
    case 'xlsx':
      return (await import('./parse-xlsx.ts')).parseXlsx(file);
    case 'epub':
      return (await import('./parse-epub.ts')).parseEpub(file);
    case 'eml':
      return (await import('./parse-eml.ts')).parseEml(file);
    case 'html':
      return (await import('./parse-html.ts')).parseHtml(name, requireText(name, bytes));
    case 'csv':
    case 'tsv':
      return (await import('./parse-csv.ts')).parseCsv(name, requireText(name, bytes), kind);
    case 'markdown':
    case 'text':
      return (await import('./parse-text.ts')).parseText(name, requireText(name, bytes), kind);
  }
}

function requireText(name: string, bytes: Uint8Array): string {
  const text = decodeText(bytes);
  if (text === null) {
    throw new GiveUp(`${name} is a binary file of an unknown kind. Supported: ${SUPPORTED_KINDS}.`);
  }
  return text;
}
