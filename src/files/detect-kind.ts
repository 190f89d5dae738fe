import { extname } from 'node:path';
import { GiveUp } from '#src/platform/errors.ts';
import type { FileToParse } from './parsed-file.ts';

export type FileKind = 'pdf' | 'docx' | 'html' | 'csv' | 'tsv' | 'markdown' | 'text';

/** The kinds as a sentence shows them. */
export const SUPPORTED_KINDS = 'text, Markdown, HTML, PDF, DOCX, CSV and TSV';

const KIND_BY_EXTENSION: Record<string, FileKind> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'markdown',
};

/** A PDF may have up to 1,024 bytes before its header (ISO 32000-1, annex H.3.4.1). */
const PDF_HEADER_WINDOW = 1024;
const ZIP = [0x50, 0x4b, 0x03, 0x04];
const EMPTY_ZIP = [0x50, 0x4b, 0x05, 0x06];
/** OLE compound file: `.doc`, `.xls`, `.ppt`, and password-protected Office files of today. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

/**
 * Chooses the parser by content first and extension second.
 * @throws GiveUp when the content is not what its extension says, or is a known container of another kind
 */
export function detectKind({ name, bytes }: FileToParse): FileKind {
  const extension = extname(name).toLowerCase();
  const byExtension = KIND_BY_EXTENSION[extension] ?? null;
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, PDF_HEADER_WINDOW),
  );
  if (startsWith(head, COMPOUND_FILE)) {
    throw new GiveUp(
      `${name} is an old or password-protected Office file; save it as DOCX or PDF without a password.`,
    );
  }
  if (startsWith(head, ZIP) || startsWith(head, EMPTY_ZIP)) return kindOfZip(name, bytes);
  const isPdf = head.includes('%PDF-', 0, 'latin1');
  if (byExtension === 'docx' || (byExtension === 'pdf' && !isPdf)) {
    throw new GiveUp(
      `${name} is named ${extension} but its content is not a ${byExtension.toUpperCase()} file; it may be damaged.`,
    );
  }
  if (isPdf && (byExtension === 'pdf' || head.indexOf('%PDF-') === 0)) return 'pdf';
  if (byExtension) return byExtension;
  return looksLikeHtml(head.toString('latin1')) ? 'html' : 'text';
}

function kindOfZip(name: string, bytes: Uint8Array): FileKind {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (content.includes('word/document', 0, 'latin1')) return 'docx';
  throw new GiveUp(
    `${name} is a zip container without a Word document in it. Supported: ${SUPPORTED_KINDS}.`,
  );
}

function startsWith(head: Buffer, magic: number[]): boolean {
  return magic.every((byte, index) => head[index] === byte);
}

function looksLikeHtml(head: string): boolean {
  return /^[^\w<]*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype html|html[\s>])/i.test(
    head,
  );
}
