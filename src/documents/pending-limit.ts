import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

/** A count is valid for this long; documents that this process accepts meanwhile are added to it. */
const COUNT_VALID_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const MAX_CACHED = 10_000;

/** Rejects new documents of a workspace while too many are waiting for indexing. */
export interface PendingLimit {
  /**
   * Counts one more document.
   * @throws Problem RATE_LIMIT_EXCEEDED with the seconds to wait before the next try
   */
  reserveRoom(workspaceId: WorkspaceId): Promise<void>;
}

export function createPendingLimit(db: Database, max: number, clock: () => Date): PendingLimit {
  const cache = new Map<
    WorkspaceId,
    { pending: Promise<number>; accepted: number; until: number }
  >();
  return {
    async reserveRoom(workspaceId) {
      const now = clock().getTime();
      let entry = cache.get(workspaceId);
      if (!entry || entry.until < now) {
        if (cache.size >= MAX_CACHED) cache.clear();
        entry = {
          pending: countPending(db, workspaceId, max),
          accepted: 0,
          until: now + COUNT_VALID_MS,
        };
        entry.pending.catch(() => cache.delete(workspaceId));
        cache.set(workspaceId, entry);
      }
      if ((await entry.pending) + entry.accepted >= max) throw full(max);
      entry.accepted += 1;
    },
  };
}

/** Stops counting at the limit, so that a long backlog costs no more than a short one. */
async function countPending(db: Database, workspaceId: WorkspaceId, max: number): Promise<number> {
  const { rows } = await sql<{ pending: number }>`
    select count(*)::int as pending from (
      select 1 from document where workspace_id = ${workspaceId}
        and status in ('accepted', 'indexing') limit ${max}) waiting`.execute(db);
  return rows[0]?.pending ?? 0;
}

function full(max: number): Problem {
  return new Problem(
    'RATE_LIMIT_EXCEEDED',
    `This workspace has ${max} documents waiting for indexing, the maximum (MAX_PENDING_DOCUMENTS). Send more once some are indexed; GET /service-api/ingestion/stats shows the backlog.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
