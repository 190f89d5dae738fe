import type { ParsedSection } from './parsed-file.ts';

/** A section is closed at this many characters of rows: small enough to cite, large enough to keep sections few. */
const SECTION_CHARACTERS = 4_000;

/**
 * Rows as Markdown tables, split into sections that each repeat the header, so that every chunk explains its columns.
 * The first row is the header.
 */
export function tableSections(rows: string[][], link: string | null): ParsedSection[] {
  const [header = [], ...body] = rows;
  const columns = nameColumns(header, body);
  if (body.length === 0) return [{ text: columns.join(', '), link }];
  return group(columns, body).map((text) => ({ text, link }));
}

/** The cells of one row of a Markdown table. */
export function tableRow(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Extra columns beyond the header get numbered names, so that no cell is lost. */
function nameColumns(header: string[], rows: string[][]): string[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), header.length);
  return Array.from({ length: width }, (_, index) => header[index] || `column ${index + 1}`);
}

function group(columns: string[], rows: string[][]): string[] {
  const head = `${tableRow(columns)}\n|${' --- |'.repeat(columns.length)}`;
  // A header longer than the rows under it would repeat more than it explains.
  const limit = Math.max(SECTION_CHARACTERS, 2 * head.length);
  const sections: string[] = [];
  let open: string[] = [];
  let characters = 0;
  const close = (): void => {
    if (open.length > 0) sections.push([head, ...open].join('\n'));
    open = [];
    characters = 0;
  };
  for (const row of rows) {
    const rendered = tableRow(columns.map((_, index) => row[index] ?? ''));
    if (characters + rendered.length > limit) close();
    open.push(rendered);
    characters += rendered.length;
  }
  close();
  return sections;
}
