import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** An index entry of Postgres holds 2,704 bytes; in a URL the id grows threefold, below the 16 KB of a request's head. */
export const MAX_ID_BYTES = 2_048;

/** The ids that a document without one may have, by its title. */
export interface DerivedIds {
  /** Different for different titles. */
  usual: string;
  /** As earlier versions derived it: titles that differ in blanks and underscores share it. */
  earlier: string;
  /** For a title whose usual id is the earlier id of another title. */
  other: string;
}

export function derivedIds(title: string): DerivedIds {
  const encode = (text: string) => encodeURIComponent(text.replaceAll(' ', '_'));
  const earlier = encode(title);
  const usual = title.split('_').map(encode).join('%5F');
  return {
    usual: bounded(`ingestion_api_${usual}`),
    earlier: bounded(`ingestion_api_${earlier}`),
    other: `ingestion_api_title_${sha256(title)}`,
  };
}

function bounded(id: string): string {
  return id.length <= MAX_ID_BYTES ? id : `ingestion_api_sha256_${sha256(id)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The id of a document that comes without one: that of the document which has this title under one of its derived ids,
 * so that the same title is an update of it; else a free one.
 */
export async function deriveId(
  db: Database,
  workspaceId: WorkspaceId,
  title: string,
  { usual, earlier, other }: DerivedIds,
): Promise<string> {
  const { rows } = await sql<{ external_id: string; is_same: boolean }>`
    select external_id, semantic_identifier = ${title} as is_same from document
    where workspace_id = ${workspaceId}
      and external_id = any(${[usual, earlier, other]}::text[])`.execute(db);
  const own = rows.find((row) => row.is_same);
  if (own) return own.external_id;
  return rows.some((row) => row.external_id === usual) ? other : usual;
}
