/** One cell of the source table. */
export interface TableCell {
  text: string;
  /** How many columns and rows the cell spans. */
  columns: number;
  rows: number;
}

const MAX_COLUMNS = 100;
const MAX_ROWSPAN = 1_000;

/**
 * A Markdown table whose first row is the header; empty if no cell has text. A cell that spans rows is repeated in
 * each, so that each row can be read alone; one that spans columns fills only the first.
 */
export function pipeTable(table: readonly (readonly TableCell[])[]): string {
  /** Cells that extend into the next rows, by column. */
  const below = new Map<number, { text: string; rows: number }>();
  const rows = table
    .map((cells) => rowOf(cells, below))
    .filter((row) => row.some((text) => text !== ''));
  const [head, ...body] = rows;
  if (!head) return '';
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (row: readonly string[]): string =>
    `|${Array.from({ length: width }, (_, column) => ` ${row[column] ?? ''} |`).join('')}`;
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n');
}

function rowOf(
  cells: readonly TableCell[],
  below: Map<number, { text: string; rows: number }>,
): string[] {
  const row: string[] = [];
  const takeFromAbove = (): void => {
    for (let above = below.get(row.length); above; above = below.get(row.length)) {
      if (above.rows <= 1) below.delete(row.length);
      else above.rows -= 1;
      row.push(above.text);
    }
  };
  for (const cell of cells) {
    takeFromAbove();
    if (row.length >= MAX_COLUMNS) break;
    const text = inCell(cell.text);
    const columns = Math.min(Math.max(1, cell.columns), MAX_COLUMNS - row.length);
    const rows = Math.min(cell.rows, MAX_ROWSPAN);
    for (let column = 0; column < columns; column += 1) {
      const shown = column === 0 ? text : '';
      if (rows > 1) below.set(row.length, { text: shown, rows: rows - 1 });
      row.push(shown);
    }
  }
  takeFromAbove();
  return row;
}

/** A cell must be a single line. */
function inCell(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll('|', '\\|');
}
