import { z } from 'zod';

const pageParameters = z.record(z.string(), z.string()).nullable();

/** Where the reading of a list stands that is sorted by the time of change, oldest first. */
export const updatedCursor = z.object({
  /** The list is asked for what changed at this moment or later; null: everything. */
  since: z.string().nullable(),
  /** The vendor's own paging, used only among things that changed at the very same moment; null: the first page. */
  page: pageParameters,
  /** The page before `page`. */
  before: pageParameters,
  /** What was read already of that page, or of the moment `since`. */
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
 * Reads on from a cursor, so that nothing is missed when things change between two pages: the next page begins at the
 * time of change of the last thing, and whatever changes meanwhile moves behind it and is met again. Where more things
 * changed at one moment than a page holds, the vendor's paging goes on within that moment; a thing that leaves it
 * shifts those behind it by one, so the page before is looked at again for what slipped into it.
 * @returns what is new, and the cursor after it; null at the end of the list
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
