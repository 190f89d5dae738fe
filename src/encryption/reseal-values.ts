import { sql } from 'kysely';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import {
  isSealed,
  keyPartFor,
  keyPartOf,
  rowNameOf,
  SEALED_COLUMNS,
  type SealedColumn,
} from './sealed-columns.ts';

/** Rows per statement. */
const BATCH_VALUES = 200;
/** Values per step: rewriting this many takes far less than a second. */
const STEP_VALUES = 1_000;

export interface ResealStep {
  /** The sealing key. */
  keyId: string;
  resealed: number;
  /** Values that no present key can open, each with its row and the reason. */
  unreadable: { row: string; reason: string }[];
  /** Where the next step continues; null after the last row. */
  next: string | null;
}

/**
 * Rewrites some values of other keys under the current sealing key, ordered by column and id. It never overwrites
 * concurrent changes, and resealed values need no second pass: a pass may stop anywhere and restart, and several may
 * run at once.
 * @param after `next` of the previous step; null to start
 * @throws Problem BAD_REQUEST for an invalid `after`
 */
export async function resealValues(
  { db, secrets }: Pick<PlatformServices, 'db' | 'secrets'>,
  after: string | null,
): Promise<ResealStep> {
  const [keyId] = secrets.keyIds;
  const step: ResealStep = { keyId, resealed: 0, unreadable: [], next: null };
  let position: Position | null = after === null ? firstPosition() : parsePosition(after);
  let read = 0;
  while (position !== null && read < STEP_VALUES) {
    const rows: ValueRow[] = await readBatch(db, keyId, position);
    const { changes, unreadable } = resealRows(secrets, position.column, rows);
    step.resealed += await writeBatch(db, position.column, changes);
    step.unreadable.push(...unreadable);
    position = positionAfter(position, rows);
    read += rows.length;
  }
  step.next = position === null ? null : formatPosition(position);
  return step;
}

interface ValueRow {
  id: string;
  sealed: string;
}

/** Skips values of lost keys: an operator has declared that nobody can open them. */
async function readBatch(
  db: Database,
  keyId: string,
  { column, afterId }: Position,
): Promise<ValueRow[]> {
  const { rows } = await sql<ValueRow>`
    select id::text as id, ${sql.ref(column.column)} as sealed from ${sql.table(column.table)}
    where ${isSealed(column)} and ${keyPartOf(column)} <> ${keyPartFor(keyId)}
      and ${keyPartOf(column)} not in (
        select 'v1.' || lost.id from encryption_key lost where lost.lost_at is not null)
      and ${afterId === null ? sql`true` : sql`id > ${afterId}::${sqlTypeOf(column)}`}
    order by ${sql.table(column.table)}.id limit ${BATCH_VALUES}`.execute(db);
  return rows;
}

interface Change {
  id: string;
  before: string;
  after: string;
}

function resealRows(
  secrets: PlatformServices['secrets'],
  column: SealedColumn,
  rows: readonly ValueRow[],
): { changes: Change[]; unreadable: ResealStep['unreadable'] } {
  const changes: Change[] = [];
  const unreadable: ResealStep['unreadable'] = [];
  for (const { id, sealed } of rows) {
    const row = rowNameOf(column, id);
    try {
      changes.push({ id, before: sealed, after: secrets.seal(secrets.open(sealed, row), row) });
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable.push({ row, reason: error.message });
    }
  }
  return { changes, unreadable };
}

/**
 * Writes only where the value is still the one that was read, so a concurrent change wins. The multi-row statement
 * skips locked rows, so it cannot deadlock; locked rows are then written one by one.
 */
async function writeBatch(
  db: Database,
  column: SealedColumn,
  changes: readonly Change[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const [table, value] = [sql.table(column.table), sql.ref(`t.${column.column}`)];
  const { rows } = await sql<{ id: string }>`
    update ${table} set ${sql.ref(column.column)} = c.after
    from (select t.id, n.after from ${table} t
      join unnest(${changes.map(({ id }) => id)}::${sqlTypeOf(column)}[],
        ${changes.map(({ before }) => before)}::text[],
        ${changes.map(({ after }) => after)}::text[]) n (id, before, after)
        on n.id = t.id and n.before = ${value}
      for update of t skip locked) c
    where ${table}.id = c.id
    returning ${table}.id::text as id`.execute(db);
  const written = new Set(rows.map(({ id }) => id));
  let count = written.size;
  for (const change of changes.filter(({ id }) => !written.has(id))) {
    count += await writeOne(db, column, change);
  }
  return count;
}

async function writeOne(
  db: Database,
  column: SealedColumn,
  { id, before, after }: Change,
): Promise<number> {
  const name = sql.ref(column.column);
  const { rows } = await sql`update ${sql.table(column.table)} set ${name} = ${after}
    where id = ${id}::${sqlTypeOf(column)} and ${name} = ${before} returning 1`.execute(db);
  return rows.length;
}

interface Position {
  column: SealedColumn;
  afterId: string | null;
}

function firstPosition(): Position | null {
  const [column] = SEALED_COLUMNS;
  return column === undefined ? null : { column, afterId: null };
}

function positionAfter({ column }: Position, rows: readonly ValueRow[]): Position | null {
  const last = rows.at(-1);
  if (last !== undefined && rows.length === BATCH_VALUES) return { column, afterId: last.id };
  const following = SEALED_COLUMNS[SEALED_COLUMNS.indexOf(column) + 1];
  return following === undefined ? null : { column: following, afterId: null };
}

/** `credential.secret:12`, or `credential.secret:` for the start of the column. */
function formatPosition({ column, afterId }: Position): string {
  return `${column.table}.${column.column}:${afterId ?? ''}`;
}

const ID_FORMATS: Readonly<Record<SealedColumn['idType'], RegExp>> = {
  integer: /^\d{1,9}$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  text: /^[0-9a-f]{8}$/,
};

function parsePosition(text: string): Position {
  const [name = '', id = ''] = text.split(':');
  const column = SEALED_COLUMNS.find((one) => name === `${one.table}.${one.column}`);
  if (column !== undefined && id === '') return { column, afterId: null };
  if (column !== undefined && ID_FORMATS[column.idType].test(id)) return { column, afterId: id };
  throw new Problem(
    'BAD_REQUEST',
    'body.after: is not a valid position. Send next of the previous answer, or null to start.',
  );
}

function sqlTypeOf({ idType }: SealedColumn) {
  return sql.raw(idType);
}
