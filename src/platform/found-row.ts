import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { isUuid } from './is-uuid.ts';

/** A search term, in every form that rows are compared with. */
export interface LookupTerm {
  workspaceId: WorkspaceId;
  /** The user whose permissions apply. */
  userId: UserId;
  text: string;
  /** In lower case, for matches inside names; null when too short. */
  part: string | null;
  /** The term as a numeric row id. */
  number: number | null;
  uuid: string | null;
}

/** A match. `page_id` is the id of the row whose page shows it. */
export interface FoundRow {
  id: string;
  page_id: string;
  title: string;
  state: string | null;
  detail: string | null;
  at: Date;
}

/** Matches per kind. */
export const MAX_OF_KIND = 10;
/** Rows compared by name, newest first. Bounds each statement on large tables. */
export const MAX_COMPARED = sql.lit(1_000);
const MIN_PART = 2;
const NUMBER = /^\d{1,15}$/;

export function parseLookupTerm(
  text: string,
  reader: { workspaceId: WorkspaceId; userId: UserId },
) {
  return {
    ...reader,
    text,
    part: text.length < MIN_PART ? null : text.toLowerCase(),
    number: NUMBER.test(text) ? Number(text) : null,
    uuid: isUuid(text) ? text.toLowerCase() : null,
  };
}
