import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** A Postgres index entry holds 2,704 bytes. In a URL the id triples, still below the 16 KB limit of a request head. */
export const MAX_ID_BYTES = 2_048;

/** The candidate ids for a document without one, derived from its title. */
export interface DerivedIds {
  /** Differs for different titles. */
  usual: string;
  /** As derived by earlier versions: titles that differ only in blanks and underscores share it. */
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
 * Chooses the id of a document that comes without one. If a document with this title exists under one of its derived
 * ids, returns that id, so that the new document updates it; otherwise returns a free id.
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
