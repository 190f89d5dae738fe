import { zipSync } from 'fflate';
import readWorkbook, { type CellValue } from 'read-excel-file/universal';
import { readCoreProperties } from './office-relations.ts';
import type { FileToParse, ParsedFile, ParsedSection } from './parsed-file.ts';
import { reportDamage } from './report-damage.ts';
import { tableSections } from './table-sections.ts';
import { titleOfName } from './title-of-name.ts';
import { unzipParts } from './unzip-parts.ts';

const format = 'XLSX';

/**
 * A workbook's sheets as Markdown tables with the last calculated values; the first non-empty row is the header. A
 * large sheet has several sections, each with its name and header.
 * @throws GiveUp when the container is damaged or unpacks beyond the limits
 */
export function parseXlsx({ name, bytes }: FileToParse): Promise<ParsedFile> {
  return reportDamage({ name, format }, async () => {
    const parts = await unzipParts({ name, bytes, format }, (path) =>
      /^(xl|docProps)\/.*\.(xml|rels)$/i.test(path),
    );
    // The library unpacks without limits, so it gets a new container with the parts that were unpacked within the
    // limits.
    const container = zipSync(Object.fromEntries(parts), { level: 0 });
    const sheets = await readWorkbook(container.buffer);
    const { title, author } = readCoreProperties(parts);
    return {
      title: title || titleOfName(name),
      sections: sheets.flatMap(({ sheet, data }) => sheetSections(sheet, data)),
      metadata: author ? { author } : {},
    };
  });
}

/** @param data undefined for a sheet that is a chart */
function sheetSections(
  sheet: string,
  data: readonly (CellValue | null)[][] | undefined,
): ParsedSection[] {
  const rows = (data ?? [])
    .map((row) => row.map(cellText))
    .filter((row) => row.some((cell) => cell !== ''));
  if (rows.length === 0) return [];
  return tableSections(rows, `#sheet=${encodeURIComponent(sheet)}`).map(({ text, link }) => ({
    text: `## ${sheet}\n\n${text}`,
    link,
  }));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return dateText(cell);
  return (typeof cell === 'string' ? cell : JSON.stringify(cell)).trim();
}

/**
 * ISO 8601 without a zone, because cells have none and the library reads them as UTC. Midnight means a date without a
 * time.
 */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  return date.toISOString().replace(/T00:00:00\.000Z$|(?:\.000)?Z$/, '');
}
