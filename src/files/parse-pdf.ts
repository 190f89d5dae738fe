import { getDocumentProxy } from 'unpdf';
import { z } from 'zod';
import { GiveUp } from '#src/platform/errors.ts';
import type { FileToParse, ParsedFile, ParsedSection } from './parsed-file.ts';
import { titleOfName } from './title-of-name.ts';

const MAX_PAGES = 10_000;
const ERRORS_ONLY = 0;

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * The text layer of a PDF, one section per page with the link `#page=n` (RFC 8118, section 3).
 * @throws GiveUp when the file is damaged, protected, or has only scanned pages
 */
export async function parsePdf({
  name,
  bytes,
  password,
  signal,
}: FileToParse & { signal: AbortSignal }): Promise<ParsedFile> {
  // pdf.js detaches the buffer; the copy keeps the caller's intact.
  const pdf = await open(name, new Uint8Array(bytes), password);
  try {
    if (pdf.numPages > MAX_PAGES) {
      throw new GiveUp(`${name} has ${pdf.numPages} pages; the limit is ${MAX_PAGES}. Split it.`);
    }
    const sections = await readPages(name, pdf, signal);
    if (sections.every((section) => section.text.trim() === '')) {
      throw new GiveUp(
        `${name} has no text layer: its ${pdf.numPages} pages are pictures. Run text recognition (OCR) on it first.`,
      );
    }
    const { title, author } = await readInfo(pdf);
    return {
      title: title || titleOfName(name),
      sections,
      metadata: author ? { author } : {},
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function open(name: string, bytes: Uint8Array, password: string | undefined): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, {
      verbosity: ERRORS_ONLY,
      ...(password === undefined ? {} : { password }),
    });
  } catch (error) {
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    throw new GiveUp(
      isProtected
        ? password === undefined
          ? `${name} is protected by a password; save it without one.`
          : `${name} is protected by a different password than the one given.`
        : `${name} is a damaged PDF: ${reason(error)}`,
      { cause: error },
    );
  }
}

async function readPages(name: string, pdf: Pdf, signal: AbortSignal): Promise<ParsedSection[]> {
  const sections: ParsedSection[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    signal.throwIfAborted();
    try {
      // One page at a time: all at once would hold every page's glyphs in memory.
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = items
        .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
        .join('');
      page.cleanup();
      sections.push({ text: text.trim(), link: `#page=${number}` });
    } catch (error) {
      throw new GiveUp(`${name} is damaged at page ${number}: ${reason(error)}`, { cause: error });
    }
  }
  return sections;
}

const information = z.object({ Title: z.string().catch(''), Author: z.string().catch('') });

async function readInfo(pdf: Pdf): Promise<{ title: string; author: string }> {
  // A PDF with a broken information dictionary is still readable, without title and author.
  const found = await pdf.getMetadata().catch(() => null);
  const info = information.safeParse(found?.info);
  return info.success
    ? { title: info.data.Title.trim(), author: info.data.Author.trim() }
    : { title: '', author: '' };
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
