import { GiveUp } from '#src/platform/errors.ts';
import { decodeText } from './decode-text.ts';
import { detectKind, SUPPORTED_KINDS } from './detect-kind.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

/**
 * Reads a file of any supported kind into titled sections of text.
 *
 * It runs in the caller's thread: hand files of strangers to `ParserPool`, which bounds time and memory.
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

/** Parsers are loaded when first needed: pdf.js alone takes longer to load than most files to read. */
async function parseKind({
  name,
  bytes,
  signal,
}: FileToParse & { signal: AbortSignal }): Promise<ParsedFile> {
  const kind = detectKind({ name, bytes });
  switch (kind) {
    case 'pdf':
      return (await import('./parse-pdf.ts')).parsePdf({ name, bytes, signal });
    case 'docx':
      return (await import('./parse-docx.ts')).parseDocx({ name, bytes });
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
