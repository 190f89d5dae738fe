import { z } from 'zod';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import type { SourceHttp } from '#src/connectors/source/source-http.ts';

/** Under a given version, response formats never change: https://developers.notion.com/reference/versioning */
const API_VERSION = '2025-09-03';

export interface NotionApi {
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>;
  post<T>(path: string, json: object, schema: z.ZodType<T>): Promise<T>;
}

export const PARTIAL_USER = z.object({
  id: z.string(),
  name: z.string().nullish(),
  person: z.object({ email: z.string().nullish() }).nullish(),
});

export const RICH_TEXT = z.array(z.object({ plain_text: z.string(), href: z.string().nullish() }));
export type RichText = z.infer<typeof RICH_TEXT>;

/** https://developers.notion.com/reference/page */
export const PAGE = z.object({
  object: z.literal('page'),
  id: z.string(),
  url: z.string().nullish(),
  /** Rounded down to the minute. */
  last_edited_time: z.iso.datetime(),
  archived: z.boolean().nullish(),
  in_trash: z.boolean().nullish(),
  created_by: PARTIAL_USER.nullish(),
  last_edited_by: PARTIAL_USER.nullish(),
  parent: z.object({ database_id: z.string().nullish() }).nullish(),
  properties: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((properties) => properties ?? {}),
});
export type NotionPage = z.infer<typeof PAGE>;

const LIST_POSITION = { has_more: z.boolean(), next_cursor: z.string().nullish() };
export const PAGE_LIST = z.object({ results: z.array(PAGE), ...LIST_POSITION });
/** Rows of a data source; in a wiki also other objects. */
export const ROW_LIST = z.object({
  results: z.array(
    z.discriminatedUnion('object', [
      PAGE,
      z.object({ object: z.literal('database'), id: z.string() }),
      z.object({ object: z.literal('data_source'), id: z.string() }),
    ]),
  ),
  ...LIST_POSITION,
});
/** Blocks are parsed one by one, so that a new kind of block does not spoil the page. */
export const BLOCK_LIST = z.object({ results: z.array(z.unknown()), ...LIST_POSITION });

export function openNotionApi(http: SourceHttp, apiBase: string, token: string): NotionApi {
  const authorized = http.withHabits({
    headers: { authorization: `Bearer ${token}`, 'notion-version': API_VERSION },
  });
  return {
    async get<T>(path: string, schema: z.ZodType<T>) {
      return whenFree(
        async () => (await authorized.json({ url: `${apiBase}${path}` }, schema)).data,
      );
    },
    async post<T>(path: string, json: object, schema: z.ZodType<T>) {
      const request = { url: `${apiBase}${path}`, method: 'POST', json } as const;
      return whenFree(async () => (await authorized.json(request, schema)).data);
    },
  };
}

/** 409: concurrent writes, try again later. https://developers.notion.com/reference/status-codes */
async function whenFree<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isRefused(error, 409)) throw error;
    throw new SourceUnavailable(error.message, { cause: error });
  }
}

export function isRefused(error: unknown, ...statuses: number[]): error is SourceRefused {
  return error instanceof SourceRefused && error.status !== null && statuses.includes(error.status);
}

/** Adds a cursor to a path that already has a query. */
export function withCursor(path: string, cursor: string | null): string {
  return cursor === null ? path : `${path}&start_cursor=${encodeURIComponent(cursor)}`;
}

/** The page id in a URL, with or without dashes, or the id itself; null if there is none. */
export function parseNotionId(text: string): string | null {
  const address = text.trim().split(/[?#]/)[0] ?? '';
  const match = /([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i.exec(
    address,
  );
  return match ? match.slice(1).join('-').toLowerCase() : null;
}

/** A stable URL: without the title, which changes when the page is renamed. */
export function documentIdOf(pageId: string): string {
  return `https://www.notion.so/${pageId.replaceAll('-', '')}`;
}
