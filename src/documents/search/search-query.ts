import { z } from 'zod';
import { cleanText } from '#src/documents/clean-text.ts';
import { MAX_CONDITIONS, parseQuery } from './parse-query.ts';

const MAX_QUERY_LENGTH = 2_048;

/** The text of a query, which may be blank. */
export const queryText = z
  .string()
  .max(MAX_QUERY_LENGTH)
  .transform(cleanText)
  .refine(
    (query) => parseQuery(query).conditions.length <= MAX_CONDITIONS,
    `must not have more than ${MAX_CONDITIONS} quoted phrases, excluded words and title: words together`,
  );

/** The text of a query that searches for something. */
export const searchQuery = queryText.refine((query) => query.trim() !== '', 'must not be blank');
