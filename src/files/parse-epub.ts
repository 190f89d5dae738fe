import { posix } from 'node:path';
import type { CheerioAPI } from 'cheerio';
import { GiveUp } from '#src/platform/errors.ts';
import { parseHtml } from './parse-html.ts';
import type { FileToParse, ParsedFile, ParsedSection } from './parsed-file.ts';
import { decodeXml, oneLine, readXml } from './read-xml.ts';
import { reportDamage } from './report-damage.ts';
import { titleOfName } from './title-of-name.ts';
import { unzipParts, type ZipParts } from './unzip-parts.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const format = 'EPUB';

/**
 * A book as Markdown, a section per chapter in reading order (EPUB 3.3, sections 4.2 container, 5.7 spine).
 * @throws GiveUp when the container is damaged, protected, or unpacks beyond the limits
 */
export function parseEpub({ name, bytes }: FileToParse): Promise<ParsedFile> {
  return reportDamage({ name, format }, async () => {
    const parts = await unzipParts(
      { name, bytes, format },
      (path) => !/\.(jpe?g|png|gif|webp|svg|mp[34]|m4[av]|css|[ot]tf|woff2?)$/i.test(path),
    );
    const path = packagePath(name, parts);
    const book = readXml(requirePart(name, parts, path));
    const chapters = chapterPaths(book, posix.dirname(path));
    const hidden = protectedPaths(parts);
    if (chapters.some((chapter) => hidden.has(chapter))) {
      throw new GiveUp(`${name} is protected against copying (DRM); its text cannot be read.`);
    }
    return {
      title: oneLine(book('dc\\:title').first().text()) || titleOfName(name),
      sections: chapters.flatMap((chapter, index): ParsedSection[] => {
        // The n-th item of the spine, in the notation of the standard for links into books (EPUB CFI 1.1).
        const link = `#epubcfi(/6/${2 * (index + 1)}!)`;
        return readChapter(requirePart(name, parts, chapter)).map((text) => ({ text, link }));
      }),
      metadata: readMetadata(book),
    };
  });
}

function packagePath(name: string, parts: ZipParts): string {
  const path = readXml(requirePart(name, parts, CONTAINER))('rootfile')
    .first()
    .attr('full-path');
  if (!path) throw new GiveUp(`${name} is a damaged EPUB file: ${CONTAINER} names no book.`);
  return path;
}

function requirePart(name: string, parts: ZipParts, path: string): Buffer {
  const part = parts.get(path);
  if (part !== undefined) return part;
  throw new GiveUp(`${name} is a damaged EPUB file: it has no ${path}.`);
}

function chapterPaths(book: CheerioAPI, folder: string): string[] {
  const items = book('manifest > item').toArray();
  const pages = new Map(
    items
      .filter(({ attribs }) => /html|^$/i.test(attribs['media-type'] ?? ''))
      .map(({ attribs }) => [attribs['id'], partPath(folder, attribs['href'] ?? '')]),
  );
  return book('spine > itemref')
    .toArray()
    .flatMap(({ attribs }) => pages.get(attribs['idref']) ?? []);
}

function partPath(folder: string, href: string): string {
  return posix.join(folder, decodePath(href.split('#', 1)[0] ?? ''));
}

function decodePath(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href; // a name with a stray %
  }
}

/** Paths of encrypted files. Fonts often are encrypted, which does not matter. */
function protectedPaths(parts: ZipParts): Set<string> {
  const encryption = parts.get(ENCRYPTION);
  if (encryption === undefined) return new Set();
  const xml = readXml(encryption);
  const references = xml('EncryptedData, enc\\:EncryptedData')
    .find('CipherReference, enc\\:CipherReference')
    .toArray();
  return new Set(references.map(({ attribs }) => decodePath(attribs['URI'] ?? '')));
}

function readChapter(bytes: Buffer): string[] {
  const { sections } = parseHtml('', openElements(decodeXml(bytes)));
  return sections.map(({ text }) => text);
}

const CLOSED_IN_ITSELF =
  /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi;

/** In XHTML, `<title/>` is an empty element; an HTML parser would treat it as a start tag. */
function openElements(xhtml: string): string {
  return xhtml.replace(CLOSED_IN_ITSELF, '<$1$2></$1>');
}

function readMetadata(book: CheerioAPI): ParsedFile['metadata'] {
  const all = (tag: string): string[] =>
    book(`dc\\:${tag}`)
      .toArray()
      .map((element) => oneLine(book(element).text()))
      .filter((text) => text !== '');
  const metadata: ParsedFile['metadata'] = {};
  const [author, ...others] = all('creator');
  if (author !== undefined) metadata['author'] = others.length > 0 ? [author, ...others] : author;
  for (const key of ['language', 'publisher'] as const) {
    const [first] = all(key);
    if (first !== undefined) metadata[key] = first;
  }
  const subjects = all('subject');
  if (subjects.length > 0) metadata['keywords'] = subjects;
  return metadata;
}
