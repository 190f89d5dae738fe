import { z } from 'zod';

const CONTROL = /\p{Cc}|\p{Cs}/u;

/** A name given by a user: trimmed, 1 to 200 characters, on one line. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(
    (name) => !CONTROL.test(name),
    'must not hold control characters or half surrogate pairs',
  );
