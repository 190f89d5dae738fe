import { z } from 'zod';

/** A time with an offset, in the range of years that both JavaScript and the database can write. */
export const timestamp = z.iso
  .datetime({
    offset: true,
    error:
      'must be an ISO 8601 time with an offset, such as 2026-05-31T08:30:00Z; in a query, write + as %2B',
  })
  .transform((text) => new Date(text))
  .refine((date) => isWritable(date), 'must lie in the years 1 to 9999 of UTC');

function isWritable(date: Date): boolean {
  return !Number.isNaN(date.getTime()) && /^(?!0000)\d{4}-/.test(date.toISOString());
}
