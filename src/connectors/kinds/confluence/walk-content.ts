import { z } from 'zod';
import { type ContentList, type ListPlace, listPlace } from './confluence-site.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/** The position in a search whose results come in order of creation. */
export const contentCursor = z.object({
  /** Only content created at or after this time is requested; null: everything. */
  createdFrom: z.iso.datetime().nullable(),
  place: listPlace.nullable(),
  /** The last results before `place`, oldest first. */
  tail: z.array(z.string()),
  lastCreated: z.iso.datetime().nullable(),
});
export type ContentCursor = z.infer<typeof contentCursor>;

export const FIRST_CONTENT: ContentCursor = {
  createdFrom: null,
  place: null,
  tail: [],
  lastCreated: null,
};

export interface WalkedContent {
  results: unknown[];
  /** Null at the end. */
  next: ContentCursor | null;
  total: number | null;
}

type Search = (createdFrom: Date | null, place: ListPlace | null) => Promise<ContentList>;

const TAIL_LENGTH = 5;

/**
 * Reads the next page of a search. When the server no longer knows a cursor, the walk continues from the creation
 * time of the last result. An offset is checked against the result before it, which is requested again: when pages
 * were deleted in the meantime, the rest have moved towards the start, and the walk steps back until it meets a
 * result that it knows.
 */
export async function walkContent(cursor: ContentCursor, search: Search): Promise<WalkedContent> {
  const createdFrom = cursor.createdFrom === null ? null : new Date(cursor.createdFrom);
  const start = offsetOf(cursor.place);
  try {
    const list =
      start === null
        ? await search(createdFrom, cursor.place)
        : await provenPage(cursor, start, (place) => search(createdFrom, place));
    return { results: list.results, next: cursorAfter(cursor, list), total: list.total };
  } catch (error) {
    const isLost = cursor.place !== null && error instanceof SourceRefused && error.status === 400;
    if (!isLost) throw error;
    return walkContent({ ...FIRST_CONTENT, createdFrom: cursor.lastCreated }, search);
  }
}

function offsetOf(place: ListPlace | null): number | null {
  if (place === null || place['cursor'] !== undefined) return null;
  const start = Number(place['start']);
  return Number.isInteger(start) && start > 0 ? start : null;
}

async function provenPage(
  { tail }: ContentCursor,
  offset: number,
  search: (place: ListPlace | null) => Promise<ContentList>,
): Promise<ContentList> {
  let start = offset - 1;
  for (;;) {
    const list = await search(start === 0 ? null : { start: String(start) });
    const known = list.results.findLastIndex((result) => tail.includes(idOf(result) ?? ''));
    // A server that returns one result at a time has returned only the known one.
    if (known === 0 && list.results.length === 1 && list.next) return search(list.next);
    if (known >= 0 || start === 0) return { ...list, results: list.results.slice(known + 1) };
    start = Math.max(0, start - Math.max(1, list.results.length));
  }
}

function cursorAfter(cursor: ContentCursor, { results, next }: ContentList): ContentCursor | null {
  if (next === null) return null;
  const ids = results.map(idOf).filter((id) => id !== null);
  return {
    createdFrom: cursor.createdFrom,
    place: next,
    tail: [...cursor.tail, ...ids].slice(-TAIL_LENGTH),
    lastCreated: results.map(createdOf).findLast((time) => time !== null) ?? cursor.lastCreated,
  };
}

const CREATED = z.object({ history: z.object({ createdDate: z.string() }) });

function idOf(result: unknown): string | null {
  return z.object({ id: z.string() }).safeParse(result).data?.id ?? null;
}

function createdOf(result: unknown): string | null {
  const time = new Date(CREATED.safeParse(result).data?.history.createdDate ?? '');
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
