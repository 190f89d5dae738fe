import { z } from 'zod';
import { searchPlace, type SearchAnswer, type SearchPlace } from './jira-site.ts';

/** Where the reading of issues stands, which come in the order of their last change. */
export const issueCursor = z.object({
  /** Issues that changed at this second (in ms) or later are asked for; null: all. */
  fromMs: z.number().nullable(),
  /** Issues of that second that were read already. */
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

/** Kept as it came; only what the order goes by is read. */
export interface FoundIssue {
  id: string;
  key: string;
  updatedMs: number;
  raw: unknown;
}

export interface WalkedIssues {
  issues: FoundIssue[];
  /** Things in the answer without an id, key or time: what they are cannot be told. */
  unreadable: number;
  /** Null at the end. */
  next: IssueCursor | null;
  total: number | null;
}

type Search = (fromMs: number | null, place: SearchPlace | null) => Promise<SearchAnswer | null>;

/**
 * Reads the next page. Offsets and tokens would miss issues when others are edited between two pages, so each page
 * asks anew for what changed since the last issue read: an edited issue moves to the end and is met there.
 * Jira sorts by the second. Where more issues changed in one second than a page holds (a bulk edit), Jira's own paging
 * goes on within it. An offset is proven then by the issue before it, which is asked for again; when that one has
 * moved, or a token has expired, the second is read from its start. Rather twice than not at all.
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
    // A server that gives one issue at a time has given the proof alone.
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

/** An offset begins one issue early. */
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

/** Milliseconds of `2024-05-01T10:00:00.000+0200`; null when it is no time. */
export function jiraTime(text: string): number | null {
  const ms = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(ms) ? null : ms;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
