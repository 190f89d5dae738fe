import { html, type Part, type Parts } from './html.ts';
import { NONE } from './number.ts';

export interface Column<Row> {
  /** Empty for what one can do with a row. */
  readonly name: string;
  readonly show: (row: Row) => Parts;
  /** In the head of the table, in place of the name. */
  readonly head?: Parts;
  /**
   * `main` holds the link to the row, and `state` its badge: on a phone they are the first line, after the box of
   * `choose`, and the others the second. `wide` is left out there.
   */
  readonly role?: 'main' | 'state' | 'wide' | 'choose';
  readonly isNumber?: boolean;
  /** Said before the value on a phone, where the head of the table is not seen. */
  readonly label?: string;
}

interface TableFacts<Row> {
  /** Read out by screen readers. */
  readonly caption: string;
  readonly columns: readonly (Column<Row> | null)[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Its rows have two lines on windows of less than 1,160 px, too. */
  readonly hasMany?: boolean;
  /** Whether rows lead somewhere. */
  readonly isLinked?: boolean;
  /** Between the border and the head. */
  readonly above?: Parts;
  readonly foot?: Parts;
}

/** A table on a desktop, rows of two lines on a phone. Arrow keys go from row to row. */
export function table<Row>(given: TableFacts<Row>): Part {
  const { caption, rows, keyOf, isLinked = false, hasMany = false, above, foot } = given;
  const columns = given.columns.filter((column) => column !== null);
  return html`<div class="table-box">
    ${above}
    <table
      class="table ${hasMany ? 'many' : ''}"
      role="table"
      aria-label=${caption}
      onKeyDown=${moveBetweenRows}
    >
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            (column) =>
              html`<th role="columnheader" scope="col" class=${classesOf(column)}>
                ${(column.head ?? column.name) || html`<span class="hidden-text">Actions</span>`}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row" class=${isLinked ? 'linked' : ''} key=${keyOf(row)}>
              ${columns.map((column) => cell(column, row))}
            </tr>`,
        )}
      </tbody>
    </table>
    ${foot && html`<div class="table-foot">${foot}</div>`}
  </div>`;
}

function cell<Row>(column: Column<Row>, row: Row): Part {
  const { label, show } = column;
  const value = show(row);
  // On a phone the values are in a line, where one that is missing would only be in the way.
  const presence = value === NONE && column.role !== 'main' ? 'none' : '';
  return html`<td
    role="cell"
    class=${`${classesOf(column)} ${presence}`}
    data-label=${label ?? null}
  >
    ${value}
  </td>`;
}

type Placed = Pick<Column<never>, 'name' | 'role' | 'isNumber'>;

function classesOf({ name, role, isNumber = false }: Placed): string {
  const place = role === 'wide' ? 'wide-only' : (role ?? '');
  return `${place} ${isNumber ? 'right' : ''} ${name === '' ? 'act' : ''}`;
}

/** A column of boxes to choose rows by, with one for all of them. */
export function chooseColumn<Row>(given: {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  chosen: ReadonlySet<string>;
  choose: (keys: ReadonlySet<string>) => void;
}): Column<Row> {
  const { rows, keyOf, nameOf, chosen, choose } = given;
  const areAll = rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)));
  const box = (name: string, isChosen: boolean, change: () => void): Part =>
    html`<label class="choose-box">
      <input type="checkbox" aria-label=${name} checked=${isChosen} onChange=${change} />
    </label>`;
  return {
    name: 'Choose',
    role: 'choose',
    head: box('Choose all on this page', areAll, () =>
      choose(areAll ? new Set() : new Set(rows.map(keyOf))),
    ),
    show: (row) =>
      box(`Choose ${nameOf(row)}`, chosen.has(keyOf(row)), () =>
        choose(chosen.symmetricDifference(new Set([keyOf(row)]))),
      ),
  };
}

/** The link of a row: the whole row can be clicked. */
export function rowLink(text: Parts, href: string): Part {
  return html`<a class="row-link" href=${href}>${text}</a>`;
}

/** A second, smaller line below the name of a row; on a phone only when it matters, such as what went wrong. */
export function twoLines(
  first: Parts,
  second: Parts,
  { matters = false, wraps = false } = {},
): Parts {
  const classes = `small muted ${matters ? '' : 'more'} ${wraps ? 'wraps' : ''}`;
  return [first, html`<span class=${classes}>${second}</span>`];
}

/** From page to page of a list: its address holds the place. */
export function pager(given: {
  count: Parts;
  firstHref: string | null;
  nextHref: string | null;
  words?: { first: string; next: string };
}): Part {
  const { first, next } = given.words ?? { first: 'Newest', next: 'Older' };
  return html`<span>${given.count}</span>
    <span class="row">
      ${given.firstHref && html`<a class="button tiny" href=${given.firstHref}>${first}</a>`}
      ${given.nextHref && html`<a class="button tiny" href=${given.nextHref}>${next}</a>`}
    </span>`;
}

function moveBetweenRows(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const here = event.target;
  if (step === 0 || !(here instanceof HTMLElement)) return;
  const links = [...(here.closest('table')?.querySelectorAll('a.row-link') ?? [])];
  const next = links[links.indexOf(here.closest('tr')?.querySelector('a.row-link') ?? here) + step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
