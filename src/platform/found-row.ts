import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { isUuid } from './is-uuid.ts';

/** What somebody looks for, in the forms in which rows are looked up. */
export interface Sought {
  workspaceId: WorkspaceId;
  /** Whose eyes it is seen with. */
  userId: UserId;
  text: string;
  /** The text in lower case; null when it is too short to be looked for inside of names. */
  part: string | null;
  /** The text as a number of a row. */
  number: number | null;
  uuid: string | null;
}

/** A row as found. `page_id` is the row whose page shows it. */
export interface FoundRow {
  id: string;
  page_id: string;
  title: string;
  state: string | null;
  detail: string | null;
  at: Date;
}

/** Of one kind. */
export const MAX_OF_KIND = 10;
/** Rows of a workspace whose names are compared, newest first: no statement reads more, however large the tables are. */
export const MAX_COMPARED = sql.lit(1_000);
const MIN_PART = 2;
const NUMBER = /^\d{1,15}$/;

export function soughtOf(text: string, reader: { workspaceId: WorkspaceId; userId: UserId }) {
  return {
    ...reader,
    text,
    part: text.length < MIN_PART ? null : text.toLowerCase(),
    number: NUMBER.test(text) ? Number(text) : null,
    uuid: isUuid(text) ? text.toLowerCase() : null,
  };
}
