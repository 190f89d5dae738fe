import { z } from 'zod';
import { searchPlace, type SearchAnswer, type SearchPlace } from './jira-site.ts';

/** The position in the issues, which come in order of their last change. */
export const issueCursor = z.object({
  /** Only issues that changed in this second (in ms) or later are requested; null: all. */
  fromMs: z.number().nullable(),
  /** Issues of that second that have been read. */
  seen: z.array(z.string()),
  /** Jira's own paging, used only while all issues of a page changed in that second. */
  place: searchPlace.nullable(),
  /** The last issue before `place`. */
  anchor: z.string().nullable(),
});
export type IssueCursor = z.infer<typeof issueCursor>;

export function issuesSince(since: Date | null): IssueCursor {
  return { fromMs: since && secondOf(since.getTime()), seen: [], place: null, anchor: null };
}

/** Kept as received; only the fields that define the order are parsed. */
export interface FoundIssue {
  id: string;
  key: string;
  updatedMs: number;
  raw: unknown;
}

export interface WalkedIssues {
  issues: FoundIssue[];
  /** Items in the response without an id, key or time, which cannot be identified. */
  unreadable: number;
  /** Null at the end. */
  next: IssueCursor | null;
  total: number | null;
}

type Search = (fromMs: number | null, place: SearchPlace | null) => Promise<SearchAnswer | null>;

/**
 * Reads the next page. With offsets or tokens alone, edits between two pages would make the walk miss issues, so each
 * page requests what changed since the last issue read: an edited issue moves to the end and is met there. Jira sorts
 * by the second. When more issues changed in one second than fit a page (a bulk edit), Jira's own paging is used
 * within that second. An offset is then checked against the issue before it, which is requested again; when that
 * issue has moved, or a token has expired, the second is read from its start. Reading an issue twice is better than
 * missing it.
 */
export async function walkIssues(cursor: IssueCursor, search: Search): Promise<WalkedIssues> {
  const { fromMs, anchor } = cursor;
  const place = anchor === null ? cursor.place : overlapping(cursor.place);
  const answer = await search(fromMs, place);
  const found = answer && readIssues(answer);
  const isProven = place !== null && 'startAt' in place && anchor !== null;
  const hasMoved = isProven && found?.issues[0]?.id !== anchor;
  if (answer === null || found === null || hasMoved) {
    return walkIssues({ fromMs, seen: [], place: null, anchor: null }, search);
  }
  if (isProven && found.issues.length === 1 && answer.next !== null) {
    // A server that returns one issue at a time has returned only the anchor.
    return walkIssues({ ...cursor, seen: [anchor], anchor: null }, search);
  }
  const known = new Set([...cursor.seen, ...(anchor === null ? [] : [anchor])]);
  return {
    issues: found.issues.filter(({ id }) => !known.has(id)),
    unreadable: found.unreadable,
    next: answer.next && cursorAfter(cursor, found.issues, answer.next),
    total: answer.total,
  };
}

/** An offset starts one issue early. */
function overlapping(place: SearchPlace | null): SearchPlace | null {
  return place && 'startAt' in place ? { startAt: Math.max(0, place.startAt - 1) } : place;
}

function cursorAfter(cursor: IssueCursor, issues: FoundIssue[], place: SearchPlace): IssueCursor {
  const last = issues.at(-1);
  const lastMs = last ? secondOf(last.updatedMs) : Number.NEGATIVE_INFINITY;
  if (lastMs <= (cursor.fromMs ?? Number.NEGATIVE_INFINITY)) {
    return { fromMs: cursor.fromMs, seen: [], place, anchor: last?.id ?? null };
  }
  const seen = issues.filter(({ updatedMs }) => secondOf(updatedMs) === lastMs).map(({ id }) => id);
  return { fromMs: lastMs, seen, place: null, anchor: null };
}

const FOUND = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({ updated: z.string() }),
});

function readIssues({ issues }: SearchAnswer): { issues: FoundIssue[]; unreadable: number } {
  const found = issues.flatMap((raw): FoundIssue[] => {
    const { data } = FOUND.safeParse(raw);
    const updatedMs = data ? jiraTime(data.fields.updated) : null;
    return data && updatedMs !== null ? [{ id: data.id, key: data.key, updatedMs, raw }] : [];
  });
  return { issues: found, unreadable: issues.length - found.length };
}

/** Milliseconds of `2024-05-01T10:00:00.000+0200`; null when it is not a time. */
export function jiraTime(text: string): number | null {
  const ms = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(ms) ? null : ms;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
