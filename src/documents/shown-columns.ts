import { sql } from 'kysely';
import { SECTIONS_IN_CHUNK } from './texts-in-chunks.ts';

/** Longest title read by searches and shown in a hit or a list, in characters. */
const MAX_SHOWN_TITLE = 1_000;
const MAX_SHOWN_OWNERS = 20;
const MAX_OWNERS_BYTES = 262_144;

/**
 * Columns of `document d` as shown in hits and lists. They are cut when read, whatever is stored: a document may be as
 * large as MAX_DOCUMENT_BYTES, and one answer shows hundreds.
 */
export const SHOWN_TITLE = sql`left(d.semantic_identifier, ${sql.lit(MAX_SHOWN_TITLE)})`;
/** What searches read as the title: many rows of one statement may be of one document with a title of megabytes. */
export const SEARCHED_TITLE = sql`left(coalesce(d.title, d.semantic_identifier), ${sql.lit(MAX_SHOWN_TITLE)})`;
export const SHOWN_METADATA = sql`coalesce(d.shown_metadata, d.metadata)`;
export const SHOWN_OWNERS = {
  primary: shownOwners('primary_owners'),
  secondary: shownOwners('secondary_owners'),
};

function shownOwners(column: string) {
  const owners = sql.ref(`d.${column}`);
  return sql`(select coalesce(json_agg(one), '[]') from (
    select value as one from json_array_elements(
      case when octet_length(${owners}::text) <= ${sql.lit(MAX_OWNERS_BYTES)} then ${owners} else '[]' end)
    limit ${sql.lit(MAX_SHOWN_OWNERS)}) first_ones)`;
}

/**
 * Link of the first section of `document d`. Rows of an earlier version have it in their text, and while that version
 * still runs, it may write a text and leave the link of the one before.
 */
export const LINK = sql<
  string | null
>`case when d.sections is null then d.link else d.sections -> 0 ->> 'link' end`;

/**
 * Text of `document d`, joined with `document_text t` on the left. An earlier version wrote it into its own row; that of
 * a short document is in its chunk once it is indexed.
 */
export const SECTIONS = sql`coalesce(d.sections, t.sections, ${SECTIONS_IN_CHUNK})`;
