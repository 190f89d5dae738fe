import { sql } from 'kysely';

import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { privateToOthers } from './document-access.ts';
import { HIDDEN } from './shown-chunks.ts';

/** Tags are suggested while a user types, so only the newest documents are read; they have the tags in use. */
const NEWEST_DOCUMENTS = 20_000;
const MAX_TAGS = 100;

export interface DocumentTag {
  key: string;
  value: string;
  source: string;
}

export interface TagSearch {
  workspaceId: WorkspaceId;
  /** The user who searches. */
  userId: UserId;
  /** `key=value` matches both parts; other text matches the key or the value; null matches every tag. */
  pattern: string | null;
  /** Whether the pattern matches prefixes. */
  isPrefix: boolean;
}

/** Tags of the newest documents that a user may find, in alphabetical order, at most 100. */
export async function listTags(db: Database, search: TagSearch): Promise<DocumentTag[]> {
  const { workspaceId, userId } = search;
  const { rows } = await sql<DocumentTag>`
    select distinct key, value, source from (
      select split_part(tag, '=', 1) as key, substr(tag, strpos(tag, '=') + 1) as value, d.source
      from (
        select tags, source from document
        where workspace_id = ${workspaceId} and status = 'indexed' and ${HIDDEN} is not true
          and id not in (${privateToOthers(workspaceId, userId)})
        order by id desc limit ${NEWEST_DOCUMENTS}) d
      cross join lateral unnest(d.tags) as tag) known
    where ${matches(search)} order by key, value, source limit ${MAX_TAGS}`.execute(db);
  return rows;
}

function matches({ pattern, isPrefix }: TagSearch) {
  if (pattern === null || pattern === '') return sql`true`;
  const fits = (column: 'key' | 'value', wanted: string) =>
    isPrefix
      ? sql`starts_with(lower(${sql.ref(column)}), lower(${wanted}))`
      : sql`lower(${sql.ref(column)}) = lower(${wanted})`;
  const equals = pattern.indexOf('=');
  if (equals === -1) return sql`(${fits('key', pattern)} or ${fits('value', pattern)})`;
  const key = sql`lower(key) = lower(${pattern.slice(0, equals)})`;
  return sql`(${key} and ${fits('value', pattern.slice(equals + 1))})`;
}
