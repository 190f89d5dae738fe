import { parse } from 'csv-parse/sync';
import { GiveUp } from '#src/platform/errors.ts';
import type { ParsedFile, ParsedSection } from './parsed-file.ts';
import { titleOfName } from './title-of-name.ts';

/** A section closes at this many characters of rows: small enough to cite, large enough to be few. */
const SECTION_CHARACTERS = 4_000;
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Rows as Markdown tables, a group of rows per section, each with the header repeated, so that every
 * chunk says what its columns mean. The first row is the header.
 */
export function parseCsv(name: string, text: string, kind: 'csv' | 'tsv'): ParsedFile {
  const [header = [], ...rows] = readRows(name, text, kind === 'tsv' ? '\t' : guessDelimiter(text));
  const columns = nameColumns(header, rows);
  return {
    title: titleOfName(name),
    sections: rows.length === 0 ? [{ text: columns.join(', '), link: null }] : group(columns, rows),
    metadata: {},
  };
}

function readRows(name: string, text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new GiveUp(`${name} is not readable as a table: ${detail}`, { cause: error });
  }
}

/** The delimiter that the first line has most of, outside of quotes; a comma when it has none. */
function guessDelimiter(text: string): string {
  const firstLine = text
    .slice(0, Math.max(0, text.indexOf('\n')) || 10_000)
    .replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Rows longer than the header get numbered columns: no cell is lost. */
function nameColumns(header: string[], rows: string[][]): string[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), header.length);
  return Array.from({ length: width }, (_, index) => header[index] || `column ${index + 1}`);
}

function group(columns: string[], rows: string[][]): ParsedSection[] {
  const head = `${line(columns)}\n|${' --- |'.repeat(columns.length)}`;
  // A header longer than the rows under it would repeat more than it explains.
  const limit = Math.max(SECTION_CHARACTERS, 2 * head.length);
  const sections: ParsedSection[] = [];
  let open: string[] = [];
  let characters = 0;
  const close = (): void => {
    if (open.length > 0) sections.push({ text: [head, ...open].join('\n'), link: null });
    open = [];
    characters = 0;
  };
  for (const row of rows) {
    const rendered = line(columns.map((_, index) => row[index] ?? ''));
    if (characters + rendered.length > limit) close();
    open.push(rendered);
    characters += rendered.length;
  }
  close();
  return sections;
}

function line(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
}
