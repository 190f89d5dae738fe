import { extname } from 'node:path';
import { GiveUp } from '#src/platform/errors.ts';
import { detectZipKind } from './detect-zip-kind.ts';
import type { FileKind } from './file-kind.ts';
import type { FileToParse } from './parsed-file.ts';

const KIND_BY_EXTENSION: Record<string, FileKind> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.pptx': 'pptx',
  '.xlsx': 'xlsx',
  '.epub': 'epub',
  '.eml': 'eml',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'markdown',
  // Data and code that may begin like a page or a message.
  '.json': 'text',
  '.jsonl': 'text',
  '.ndjson': 'text',
  '.xml': 'text',
  '.yaml': 'text',
  '.yml': 'text',
  '.toml': 'text',
  '.log': 'text',
  '.sql': 'text',
  '.sh': 'text',
  '.js': 'text',
  '.ts': 'text',
  '.py': 'text',
  '.php': 'text',
  '.vue': 'text',
  '.svelte': 'text',
};

/** Kinds whose content has a signature; without it the file is not what its name says. */
const MARKED_KINDS: ReadonlySet<FileKind> = new Set(['docx', 'pptx', 'xlsx', 'epub']);

/** A PDF may have up to 1,024 bytes before its header (ISO 32000-1, annex H.3.4.1). */
const PDF_HEADER_WINDOW = 1024;
const ZIP = [0x50, 0x4b, 0x03, 0x04];
const EMPTY_ZIP = [0x50, 0x4b, 0x05, 0x06];
/** OLE compound file: `.doc`, `.xls`, `.ppt`, `.msg`, and password-protected modern Office files. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

/** The kind that the extension indicates; null for an unknown extension. */
export function kindByName(name: string): FileKind | null {
  return KIND_BY_EXTENSION[extname(name).toLowerCase()] ?? null;
}

/**
 * Chooses the parser by content first and extension second.
 * @throws GiveUp when the content is not what its extension says, or is a known container of another kind
 */
export function detectKind({ name, bytes }: FileToParse): FileKind {
  const extension = extname(name).toLowerCase();
  const byExtension = kindByName(name);
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, PDF_HEADER_WINDOW),
  );
  if (startsWith(head, COMPOUND_FILE)) {
    throw new GiveUp(
      `${name} is an old or password-protected Office file; save it as DOCX, PPTX, XLSX or PDF without a password.`,
    );
  }
  if (startsWith(head, ZIP) || startsWith(head, EMPTY_ZIP)) {
    return detectZipKind({ name, bytes }, byExtension);
  }
  const isPdf = head.includes('%PDF-', 0, 'latin1');
  if (
    byExtension !== null &&
    (MARKED_KINDS.has(byExtension) || (byExtension === 'pdf' && !isPdf))
  ) {
    throw new GiveUp(
      `${name} is named ${extension} but its content is not a ${byExtension.toUpperCase()} file; it may be damaged.`,
    );
  }
  if (isPdf && (byExtension === 'pdf' || head.indexOf('%PDF-') === 0)) return 'pdf';
  if (byExtension) return byExtension;
  const start = head.toString('latin1');
  if (looksLikeHtml(start)) return 'html';
  return extension === '' && looksLikeMessage(start) ? 'eml' : 'text';
}

function startsWith(head: Buffer, magic: number[]): boolean {
  return magic.every((byte, index) => head[index] === byte);
}

function looksLikeHtml(head: string): boolean {
  return /^[^\w<]*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype html|html[\s>])/i.test(
    head,
  );
}

/** True if the text begins with a header field and has one that only e-mail messages have (RFC 5322, section 3.6). */
function looksLikeMessage(head: string): boolean {
  return (
    /^[A-Za-z][\w-]*:[ \t]/.test(head) &&
    /^(?:Received|Return-Path|Message-ID|MIME-Version|Delivered-To):[ \t]/im.test(head)
  );
}
