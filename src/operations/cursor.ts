import { z } from 'zod';

/** Rows of a page. */
export const PAGE = 50;

/** The id of the last row of the page before; other texts name no page. */
export const cursorSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the next_cursor of an earlier answer')
  .transform(Number)
  .optional();

/** The page itself, and where the next one starts: ask for one row more than a page. */
export function pageOf<Row extends { id: number }>(
  rows: readonly Row[],
): { page: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, PAGE);
  const last = page.at(-1);
  return { page, nextCursor: rows.length > PAGE && last ? String(last.id) : null };
}
