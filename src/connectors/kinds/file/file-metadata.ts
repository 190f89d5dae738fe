import { z } from 'zod';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';

/** What an uploader states about a file, apart from its content. */
export interface FileMetadata {
  id: string | null;
  link: string | null;
  displayName: string | null;
  title: string | null;
  primaryOwners: StoredOwner[];
  secondaryOwners: StoredOwner[];
  updatedAt: Date | null;
  /** The kind of source to attribute the document to. */
  source: string | null;
  /** All keys without a meaning of their own. */
  tags: DocumentMetadata;
}

const text = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform((value) => String(value ?? '').trim() || null);
const owner = z.union([
  z.string().transform((name): StoredOwner => ({ display_name: name })),
  z.object({
    display_name: z.string().nullish(),
    first_name: z.string().nullish(),
    middle_initial: z.string().nullish(),
    last_name: z.string().nullish(),
    email: z.string().nullish(),
  }),
]);
const owners = z
  .union([z.array(owner), owner.transform((one) => [one])])
  .nullish()
  .transform((list) => list ?? []);
/** ISO 8601, or seconds since 1970. */
const date = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => {
    if (value === null || value === undefined || value === '') return null;
    return new Date(typeof value === 'number' ? value * 1000 : value);
  })
  .refine((value) => value === null || !Number.isNaN(value.getTime()), 'is not a date');

const known = z.looseObject({
  id: text,
  link: text,
  file_display_name: text,
  title: text,
  primary_owners: owners,
  secondary_owners: owners,
  doc_updated_at: date,
  connector_type: text,
});

/**
 * @throws GiveUp that names the key with the invalid value
 */
export function parseFileMetadata(keys: Record<string, unknown>): FileMetadata {
  const parsed = known.safeParse(keys);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new GiveUp(`Its metadata is wrong: ${issue?.path.join('.')}: ${issue?.message}.`);
  }
  const {
    id,
    link,
    file_display_name: displayName,
    title,
    primary_owners: primaryOwners,
    secondary_owners: secondaryOwners,
    doc_updated_at: updatedAt,
    connector_type: source,
    filename: _,
    ...others
  } = parsed.data;
  const tags = toTags(others);
  return { id, link, displayName, title, primaryOwners, secondaryOwners, updatedAt, source, tags };
}

/** Metadata holds text: other values are written as JSON, blank ones are dropped. */
export function toTags(keys: Record<string, unknown>): DocumentMetadata {
  const tags = Object.entries(keys).map(([key, value]): [string, string | string[]] => [
    key,
    Array.isArray(value) ? value.map(written).filter((one) => one !== '') : written(value),
  ]);
  // Not assigned key by key: `__proto__` is a key like any other.
  return Object.fromEntries(tags.filter(([, tag]) => tag.length > 0));
}

function written(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

/** A longer first line is content. */
const MAX_LINE_BYTES = 64 * 1024;
const METADATA_SIGN = /^(?:ONYX|MILLRACE)_METADATA\s*=/;

/**
 * Splits the metadata off a text file that begins with a comment line `<!-- ONYX_METADATA={…} -->` or `#
 * ONYX_METADATA={…}`; null when it does not. The rest is the file.
 * @throws GiveUp when the line is there but does not hold a JSON object
 */
export function splitMetadataLine(
  bytes: Uint8Array,
): { keys: Record<string, unknown>; rest: Uint8Array } | null {
  const window = bytes.subarray(0, MAX_LINE_BYTES);
  const end = window.indexOf(0x0a);
  if (end === -1 && bytes.length > MAX_LINE_BYTES) return null;
  const line = Buffer.from(end === -1 ? window : window.subarray(0, end)).toString('utf8');
  const comment = commentText(line.trim());
  const sign = METADATA_SIGN.exec(comment)?.[0];
  if (sign === undefined) return null;
  return {
    keys: parseKeys(comment.slice(sign.length)),
    rest: end === -1 ? new Uint8Array() : bytes.subarray(end + 1),
  };
}

/** The text of a comment line; empty when the line is not a comment. `trim` also removes a byte order mark. */
function commentText(line: string): string {
  if (line.startsWith('#')) return line.slice(1).trim();
  return line.startsWith('<!--') && line.endsWith('-->') ? line.slice(4, -3).trim() : '';
}

/** JSON nested deeper than this cannot be serialized again. */
const MAX_DEPTH = 100;
const jsonObject = z.record(z.string(), z.unknown());

function parseKeys(json: string): Record<string, unknown> {
  try {
    const keys = jsonObject.parse(JSON.parse(json));
    if (isNestedDeeper(keys, MAX_DEPTH)) throw new Error('It is nested too deeply.');
    return keys;
  } catch (error) {
    throw new GiveUp('Its first line holds metadata that is not a JSON object.', { cause: error });
  }
}
