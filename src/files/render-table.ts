import { childrenOf, type HtmlElement, type HtmlNode, isElement, rawText } from './html-tree.ts';
import { pipeTable } from './pipe-table.ts';

export interface TableOptions {
  isLeftOut: (element: HtmlElement) => boolean;
  /** The blocks inside a cell. */
  blocksOf: (cell: HtmlElement) => string[];
}

const PARTS = new Set(['thead', 'tbody', 'tfoot']);
/** Elements that do not occur in data tables. */
const ARRANGES = new Set(['table', 'h1', 'h2', 'h3']);

/**
 * Tables used for page layout instead of data: they contain tables, headings or code, or have only one column, apart
 * from a picture beside it.
 */
export function isLayoutTable(
  table: HtmlElement,
  { isLeftOut }: Pick<TableOptions, 'isLeftOut'>,
): boolean {
  if (/^(?:presentation|none)$/i.test(table.attribs['role'] ?? '')) return true;
  const all = rowsOf(table);
  const rows = all.map((row) =>
    cellsOf(row).filter((cell) => !isLeftOut(cell) && !isPictureBeside(cell, all.length)),
  );
  if (rows.every((row) => row.length <= 1)) return true;
  const hasHeads = rows.some((row) => row.some(({ name }) => name === 'th'));
  return holds(table, (name) => ARRANGES.has(name) || (name === 'pre' && !hasHeads));
}

/** A cell without text that spans all rows: the icon beside a note. */
function isPictureBeside(cell: HtmlElement, rows: number): boolean {
  return rows > 1 && span(cell, 'rowspan') >= rows && rawText(cell).trim() === '';
}

/** The cells one after another. */
export function renderLayout(table: HtmlElement, { isLeftOut, blocksOf }: TableOptions): string[] {
  const rows = rowsOf(table).filter((row) => !isLeftOut(row));
  return [...captionsOf(table), ...rows.flatMap(cellsOf)]
    .filter((cell) => !isLeftOut(cell))
    .flatMap(blocksOf);
}

/** A pipe table, below its caption. */
export function renderTable(table: HtmlElement, options: TableOptions): string {
  const { isLeftOut, blocksOf } = options;
  const rows = rowsOf(table)
    .filter((row) => !isLeftOut(row))
    .map((row) =>
      cellsOf(row)
        .filter((cell) => !isLeftOut(cell))
        .map((cell) => ({
          text: cellText(cell, options),
          columns: span(cell, 'colspan'),
          rows: span(cell, 'rowspan'),
        })),
    );
  const lines = pipeTable(rows);
  return lines === '' ? '' : [...captionsOf(table).flatMap(blocksOf), lines].join('\n\n');
}

function cellText(cell: HtmlElement, { blocksOf }: TableOptions): string {
  return blocksOf(cell).map(fencedAsSpan).join('\n');
}

/** A fence cannot stand in a cell. */
function fencedAsSpan(block: string): string {
  const fence = /^`{3,}/.exec(block)?.[0];
  if (fence === undefined || !block.endsWith(`\n${fence}`)) return block;
  const start = block.indexOf('\n') + 1;
  const end = block.length - fence.length - 1;
  return start <= end ? `\`${block.slice(start, end)}\`` : block;
}

function span({ attribs }: HtmlElement, name: 'colspan' | 'rowspan'): number {
  const count = Number.parseInt(attribs[name] ?? '1', 10);
  return count > 0 ? count : 1;
}

/** The table's own rows, not those of nested tables. */
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
