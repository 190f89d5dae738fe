import type { CheerioAPI } from 'cheerio';
import { GiveUp } from '#src/platform/errors.ts';
import { readCoreProperties, readRelations } from './office-relations.ts';
import type { FileToParse, ParsedFile, ParsedSection } from './parsed-file.ts';
import { oneLine, readXml, type XmlElement } from './read-xml.ts';
import { reportDamage } from './report-damage.ts';
import { tableRow } from './table-sections.ts';
import { titleOfName } from './title-of-name.ts';
import { unzipParts, type ZipParts } from './unzip-parts.ts';

const format = 'PPTX';

interface Slide {
  title: string;
  text: string;
}

/**
 * A presentation as Markdown, one section per slide in presentation order: title, text, tables, speaker notes. Element
 * names: ECMA-376 part 1, sections 19.3 (PresentationML) and 21.1 (DrawingML text and tables).
 * @throws GiveUp when the container is damaged or unpacks beyond the limits
 */
export function parsePptx({ name, bytes }: FileToParse): Promise<ParsedFile> {
  return reportDamage({ name, format }, async () => {
    const parts = await unzipParts({ name, bytes, format }, (path) => /\.(xml|rels)$/i.test(path));
    const slides = slidePaths(name, parts).map((path) => readSlide(parts, path));
    const { title, author } = readCoreProperties(parts);
    return {
      title: slides[0]?.title || title || titleOfName(name),
      sections: slides.map(({ text }, index): ParsedSection => ({
        text,
        link: `#slide=${index + 1}`,
      })),
      metadata: author ? { author } : {},
    };
  });
}

function slidePaths(name: string, parts: ZipParts): string[] {
  const main = readRelations(parts, '').find(({ type }) => type === 'officeDocument');
  const path = main?.path ?? 'ppt/presentation.xml';
  const presentation = parts.get(path);
  if (presentation === undefined) {
    throw new GiveUp(`${name} is a damaged PPTX file: it has no ${path}.`);
  }
  const slides = new Map(
    readRelations(parts, path).map((relation) => [relation.id, relation.path]),
  );
  const listed = readXml(presentation)('p\\:sldId').toArray();
  return listed.map(({ attribs }, index) => {
    const slide = slides.get(attribs['r:id'] ?? '');
    if (slide !== undefined && parts.has(slide)) return slide;
    throw new GiveUp(`${name} is a damaged PPTX file: its slide ${index + 1} is missing.`);
  });
}

function readSlide(parts: ZipParts, path: string): Slide {
  const xml = readXml(parts.get(path) ?? new Uint8Array());
  // The fallback that older programs show instead of the same content.
  xml('mc\\:Fallback').remove();
  const blocks: string[] = [];
  let title = '';
  for (const element of xml('p\\:sp, p\\:graphicFrame, p\\:cxnSp').toArray()) {
    const isTitle = /^(title|ctrTitle)$/.test(placeholderOf(xml, element));
    if (isTitle && title === '') {
      title = oneLine(paragraphsOf(xml, element).join(' '));
      if (title !== '') blocks.unshift(`# ${title}`);
    } else if (xml(element).find('a\\:tbl').length > 0) {
      blocks.push(...tablesOf(xml, element));
    } else {
      blocks.push(paragraphsOf(xml, element).join('\n'));
    }
  }
  const notes = notesOf(parts, path);
  if (notes !== '') blocks.push(`Notes:\n${notes}`);
  return { title, text: blocks.filter((block) => block.trim() !== '').join('\n\n') };
}

function placeholderOf(xml: CheerioAPI, shape: XmlElement): string {
  return xml(shape).find('p\\:nvPr > p\\:ph').first().attr('type') ?? '';
}

/** Paragraphs with their text runs joined; an indented paragraph becomes a list item. */
function paragraphsOf(xml: CheerioAPI, within: XmlElement): string[] {
  return xml(within)
    .find('a\\:p')
    .toArray()
    .map((paragraph) => {
      const level = Number(xml(paragraph).children('a\\:pPr').attr('lvl') ?? 0);
      const text = xml(paragraph)
        .find('a\\:t, a\\:br')
        .toArray()
        .map((run) => (run.name === 'a:br' ? '\n' : xml(run).text()))
        .join('')
        .trim();
      return level > 0 && text !== '' ? `${'  '.repeat(Math.min(level, 8))}- ${text}` : text;
    })
    .filter((text) => text !== '');
}

function tablesOf(xml: CheerioAPI, frame: XmlElement): string[] {
  return xml(frame)
    .find('a\\:tbl')
    .toArray()
    .map((table) => {
      const rows = xml(table)
        .children('a\\:tr')
        .toArray()
        .map((row) =>
          xml(row)
            .children('a\\:tc')
            .toArray()
            .map((cell) => paragraphsOf(xml, cell).join(' ')),
        );
      const [header = [], ...body] = rows;
      return [tableRow(header), `|${' --- |'.repeat(header.length)}`, ...body.map(tableRow)].join(
        '\n',
      );
    });
}

/** The speaker notes of a slide; the notes page also repeats the slide's picture and number, which are skipped. */
function notesOf(parts: ZipParts, slide: string): string {
  const path = readRelations(parts, slide).find(({ type }) => type === 'notesSlide')?.path;
  const notes = path === undefined ? undefined : parts.get(path);
  if (notes === undefined) return '';
  const xml = readXml(notes);
  return xml('p\\:sp')
    .toArray()
    .filter((shape) => placeholderOf(xml, shape) === 'body')
    .flatMap((shape) => paragraphsOf(xml, shape))
    .join('\n');
}
