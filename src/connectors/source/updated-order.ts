import { z } from 'zod';

const pageParameters = z.record(z.string(), z.string()).nullable();

/** The position in a list sorted by time of change, oldest first. */
export const updatedCursor = z.object({
  /** Only what changed at this time or later is requested; null: everything. */
  since: z.string().nullable(),
  /** The vendor's own paging, used only among things that changed at exactly the same time; null: the first page. */
  page: pageParameters,
  /** The page before `page`. */
  before: pageParameters,
  /** Ids already read from that page, or at the time `since`. */
  seen: z.array(z.number()),
});
export type UpdatedCursor = z.infer<typeof updatedCursor>;

export interface UpdatedThing {
  key: number;
  updatedAt: string;
}

export interface ListedPage<Thing> {
  things: Thing[];
  next: Record<string, string> | null;
}

export function updatedSince(since: string | null): UpdatedCursor {
  return { since, page: null, before: null, seen: [] };
}

/**
 * Continues from a cursor without missing things that change between two pages. The next page starts at the last
 * thing's time of change; whatever changes in the meantime moves behind it and is met again. When more things changed
 * at one time than a page holds, the vendor's paging continues within that time. A thing that leaves it shifts those
 * behind it by one, so the page before is read again for anything that slipped into it.
 * @returns the new things, and the cursor after them; null at the end of the list
 */
export async function readUpdated<Thing extends UpdatedThing>(
  cursor: UpdatedCursor,
  list: (since: string | null, page: UpdatedCursor['page']) => Promise<ListedPage<Thing>>,
): Promise<{ things: Thing[]; next: UpdatedCursor | null }> {
  const here = await list(cursor.since, cursor.page);
  const slipped = cursor.page ? (await list(cursor.since, cursor.before)).things : [];
  const things = onceEach([...slipped, ...here.things], new Set(cursor.seen));
  const last = here.things.at(-1);
  return { things, next: last && here.next ? cursorAfter(cursor, here, last) : null };
}

function cursorAfter<Thing extends UpdatedThing>(
  { since, page }: UpdatedCursor,
  here: ListedPage<Thing>,
  last: Thing,
): UpdatedCursor {
  const moment = Date.parse(last.updatedAt);
  if (since !== null && moment <= Date.parse(since)) {
    return { since, page: here.next, before: page, seen: here.things.map(({ key }) => key) };
  }
  const atMoment = here.things.filter(({ updatedAt }) => Date.parse(updatedAt) === moment);
  return { ...updatedSince(last.updatedAt), seen: atMoment.map(({ key }) => key) };
}

function onceEach<Thing extends UpdatedThing>(things: Thing[], seen: Set<number>): Thing[] {
  return things.filter(({ key }) => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
