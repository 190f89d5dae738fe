import { z } from 'zod';

const CONTROL = /\p{Cc}|\p{Cs}/u;

/** A name that people give to a thing: trimmed, 1 to 200 characters, in one line. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(
    (name) => !CONTROL.test(name),
    'must not hold control characters or half surrogate pairs',
  );
