import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';

export interface TableOptions {
  isLeftOut: (element: HtmlElement) => boolean;
  /** The blocks inside of a cell. */
  blocksOf: (cell: HtmlElement) => string[];
}

const MAX_COLUMNS = 100;
const MAX_ROWSPAN = 1_000;
const PARTS = new Set(['thead', 'tbody', 'tfoot']);
/** What figures have no need of. */
const ARRANGES = new Set(['table', 'h1', 'h2', 'h3']);

/** Tables that arrange a page instead of holding figures: with tables, headings or code inside, or only one column. */
export function isLayoutTable(
  table: HtmlElement,
  { isLeftOut }: Pick<TableOptions, 'isLeftOut'>,
): boolean {
  if (/^(?:presentation|none)$/i.test(table.attribs['role'] ?? '')) return true;
  const rows = rowsOf(table).map((row) => cellsOf(row).filter((cell) => !isLeftOut(cell)));
  if (rows.every((row) => row.length <= 1)) return true;
  const hasHeads = rows.some((row) => row.some(({ name }) => name === 'th'));
  return holds(table, (name) => ARRANGES.has(name) || (name === 'pre' && !hasHeads));
}

/** The cells one after the other. */
export function renderLayout(table: HtmlElement, { isLeftOut, blocksOf }: TableOptions): string[] {
  const rows = rowsOf(table).filter((row) => !isLeftOut(row));
  return [...captionsOf(table), ...rows.flatMap(cellsOf)]
    .filter((cell) => !isLeftOut(cell))
    .flatMap(blocksOf);
}

/**
 * A pipe table. A cell over several rows is repeated in each, so that each row can be read alone; of a cell over
 * several columns the others are empty.
 */
export function renderTable(table: HtmlElement, options: TableOptions): string {
  const grid: string[][] = [];
  /** What reaches down into the next rows, by column. */
  const below = new Map<number, { text: string; rows: number }>();
  for (const row of rowsOf(table)) {
    if (options.isLeftOut(row)) continue;
    const cells = cellsOf(row).filter((cell) => !options.isLeftOut(cell));
    grid.push(rowOf(cells, below, options));
  }
  const rows = grid.filter((row) => row.some((text) => text !== ''));
  const [head, ...body] = rows;
  if (!head) return '';
  const width = Math.max(...rows.map((row) => row.length));
  const line = (row: readonly string[]): string =>
    `|${Array.from({ length: width }, (_, column) => ` ${row[column] ?? ''} |`).join('')}`;
  const rule = `|${' --- |'.repeat(width)}`;
  const captions = captionsOf(table).flatMap(options.blocksOf);
  const lines = [line(head), rule, ...body.map(line)].join('\n');
  return [...captions, lines].join('\n\n');
}

function rowOf(
  cells: readonly HtmlElement[],
  below: Map<number, { text: string; rows: number }>,
  options: TableOptions,
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
    const text = cellText(cell, options);
    const columns = Math.min(span(cell, 'colspan'), MAX_COLUMNS - row.length);
    const rows = Math.min(span(cell, 'rowspan'), MAX_ROWSPAN);
    for (let column = 0; column < columns; column += 1) {
      const shown = column === 0 ? text : '';
      if (rows > 1) below.set(row.length, { text: shown, rows: rows - 1 });
      row.push(shown);
    }
  }
  takeFromAbove();
  return row;
}

function cellText(cell: HtmlElement, { blocksOf }: TableOptions): string {
  return blocksOf(cell)
    .map((block) => block.replace(/^(`{3,})[^\n]*\n([\s\S]*)\n\1$/, '`$2`'))
    .join(' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll('|', '\\|');
}

function span({ attribs }: HtmlElement, name: 'colspan' | 'rowspan'): number {
  const count = Number.parseInt(attribs[name] ?? '1', 10);
  return count > 0 ? count : 1;
}

/** The table's own rows, not those of tables inside. */
function rowsOf(table: HtmlElement): HtmlElement[] {
  return table.children
    .filter((child) => isElement(child))
    .flatMap((child) => (PARTS.has(child.name) ? child.children : [child]))
    .filter((child) => isElement(child))
    .filter(({ name }) => name === 'tr');
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return row.children
    .filter((cell) => isElement(cell))
    .filter(({ name }) => name === 'td' || name === 'th');
}

function captionsOf(table: HtmlElement): HtmlElement[] {
  return table.children
    .filter((child) => isElement(child))
    .filter(({ name }) => name === 'caption');
}

function holds(table: HtmlElement, isMeant: (name: string) => boolean): boolean {
  const open: HtmlNode[] = [...table.children];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node) && isMeant(node.name)) return true;
    for (const child of childrenOf(node)) open.push(child);
  }
  return false;
}
