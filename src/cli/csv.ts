import { plainText } from './terminal.ts';

/** Spreadsheets interpret a cell that starts like this as a formula. */
const FORMULA = /^[=+\-@\t]/;

/** RFC 4180; a cell that a spreadsheet would evaluate gets a leading apostrophe. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(text: string): string {
  const plain = plainText(text);
  const cell = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
