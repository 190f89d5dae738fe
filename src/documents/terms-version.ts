import { sql } from 'kysely';

/**
 * What `tokenize` makes of a text, numbered. Rows of an earlier number have the stable terms of this one, and lack others:
 * they are made again in the background. Whoever raises it adds a migration with indexes for the new number, as 0032.
 *
 * 1: versions, symbols, emoji and bare letters; words without accents; parts of compounds.
 */
export const TERMS_VERSION = 1;

/** True for a row of `chunk_terms`, `posting_segment` or `document_title` that an earlier version made. */
export const IS_OLDER = sql`terms_version < ${sql.lit(TERMS_VERSION)}`;
