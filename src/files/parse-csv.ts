import { parse } from 'csv-parse/sync';
import { GiveUp } from '#src/platform/errors.ts';
import type { ParsedFile } from './parsed-file.ts';
import { tableSections } from './table-sections.ts';
import { titleOfName } from './title-of-name.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Rows as Markdown tables; the first row is the header.
 * @throws GiveUp when the rows cannot be parsed
 */
export function parseCsv(name: string, text: string, kind: 'csv' | 'tsv'): ParsedFile {
  const rows = readRows(name, text, kind === 'tsv' ? '\t' : guessDelimiter(text));
  return { title: titleOfName(name), sections: tableSections(rows, null), metadata: {} };
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

/** The delimiter that occurs most in the first line, outside quotes; a comma if there is none. */
function guessDelimiter(text: string): string {
  const firstLine = text
    .slice(0, Math.max(0, text.indexOf('\n')) || 10_000)
    .replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
