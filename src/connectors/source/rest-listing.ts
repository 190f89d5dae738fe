import { z } from 'zod';
import type { SourceHttp } from './source-http.ts';
import { SourceRefused } from './source-errors.ts';
import { nextPage } from './next-page.ts';
import type { ListedPage } from './updated-order.ts';

/** A REST API whose lists link to their next page in a header. */
export interface RestApi {
  http: SourceHttp;
  /** Without a trailing slash. */
  base: string;
}

const PAGE_SIZE = 100;
/** A list that is short by nature never has more pages than this. */
const MAX_PAGES = 100;

export async function listThings<Thing>(
  { http, base }: RestApi,
  path: string,
  item: z.ZodType<Thing>,
  query: Record<string, string>,
): Promise<ListedPage<Thing>> {
  const search = new URLSearchParams({ per_page: String(PAGE_SIZE), ...query });
  const { data, response } = await http.json(
    { url: `${base}${path}?${search.toString()}` },
    z.array(item),
  );
  return { things: data, next: nextPage(response.headers) };
}

/**
 * All pages of a list that is short by nature.
 * @throws SourceRefused when it is not
 */
export async function listAllThings<Thing>(
  api: RestApi,
  path: string,
  item: z.ZodType<Thing>,
  query: Record<string, string> = {},
): Promise<Thing[]> {
  const things: Thing[] = [];
  let page: Record<string, string> | null = {};
  for (let pages = 0; page; pages += 1) {
    if (pages === MAX_PAGES) throw new SourceRefused(`${path} has more than ${MAX_PAGES} pages.`);
    const listed: ListedPage<Thing> = await listThings(api, path, item, { ...query, ...page });
    things.push(...listed.things);
    page = listed.next;
  }
  return things;
}

/** Null when it is gone, or hidden from this token. */
export async function findThing<Thing>(
  { http, base }: RestApi,
  path: string,
  schema: z.ZodType<Thing>,
): Promise<Thing | null> {
  try {
    return (await http.json({ url: `${base}${path}` }, schema)).data;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** RFC 9110 §15.5.5 and §15.5.11 */
function isGone(error: unknown): boolean {
  return error instanceof SourceRefused && (error.status === 404 || error.status === 410);
}
