import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

/** A count is valid for this long; documents that this process accepts meanwhile are added to it. */
const COUNT_VALID_MS = 1_000;
/** What was indexed in this time tells how fast room is made. */
const RATE_SECONDS = 10;
/** When nothing was indexed in that time, nobody knows how long it takes. */
const UNKNOWN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 300;
const MAX_CACHED = 10_000;

/** Rejects new documents of a workspace while too many are waiting for indexing. */
export interface PendingLimit {
  /**
   * Counts one more document.
   * @throws Problem RATE_LIMIT_EXCEEDED with the seconds after which there is room, for this document and for those that
   * this process refused before it
   */
  reserveRoom(workspaceId: WorkspaceId): Promise<void>;
}

interface Backlog {
  pending: Promise<number>;
  /** Since `pending` was counted. */
  accepted: number;
  /** Documents per second; null until a document is refused. */
  rate: Promise<number> | null;
  until: number;
  /** When the last refused document will have room, if all come back when they were told to. */
  roomAt: number;
}

export function createPendingLimit(db: Database, max: number, clock: () => Date): PendingLimit {
  const cache = new Map<WorkspaceId, Backlog>();
  const current = (workspaceId: WorkspaceId): Backlog => {
    const now = clock().getTime();
    const known = cache.get(workspaceId);
    if (known && known.until >= now) return known;
    if (cache.size >= MAX_CACHED) cache.clear();
    const backlog: Backlog = {
      pending: countPending(db, workspaceId, max),
      accepted: 0,
      rate: null,
      until: now + COUNT_VALID_MS,
      roomAt: known?.roomAt ?? 0,
    };
    backlog.pending.catch(() => cache.delete(workspaceId));
    cache.set(workspaceId, backlog);
    return backlog;
  };
  return {
    async reserveRoom(workspaceId) {
      const backlog = current(workspaceId);
      if ((await backlog.pending) + backlog.accepted >= max) {
        backlog.rate ??= indexingRate(db, workspaceId);
        throw full(max, secondsToRoom(backlog, await backlog.rate, max, clock().getTime()));
      }
      backlog.accepted += 1;
    },
  };
}

/** Each refused document gets the place behind the last one, so that those who wait as told find room. */
function secondsToRoom(backlog: Backlog, rate: number, max: number, now: number): number {
  if (rate === 0) return UNKNOWN_RETRY_SECONDS;
  // Whoever asks too often moves the place of others back, but not beyond the end of the whole backlog.
  const latest = now + Math.min(MAX_RETRY_SECONDS, max / rate) * 1_000;
  backlog.roomAt = Math.min(latest, Math.max(now, backlog.roomAt) + 1_000 / rate);
  return Math.max(1, Math.ceil((backlog.roomAt - now) / 1_000));
}

/** Stops counting at the limit, so that a long backlog costs no more than a short one. */
async function countPending(db: Database, workspaceId: WorkspaceId, max: number): Promise<number> {
  const { rows } = await sql<{ pending: number }>`
    select count(*)::int as pending from (
      select 1 from document where workspace_id = ${workspaceId}
        and status in ('accepted', 'indexing') limit ${max}) waiting`.execute(db);
  return rows[0]?.pending ?? 0;
}

async function indexingRate(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ indexed: number }>`
    select count(*)::int as indexed from document where workspace_id = ${workspaceId}
      and indexed_at > now() - make_interval(secs => ${RATE_SECONDS})`.execute(db);
  return (rows[0]?.indexed ?? 0) / RATE_SECONDS;
}

function full(max: number, retryAfterSeconds: number): Problem {
  return new Problem(
    'RATE_LIMIT_EXCEEDED',
    `This workspace has ${max} documents waiting for indexing, the maximum (MAX_PENDING_DOCUMENTS). Send more in ${retryAfterSeconds} s; GET /service-api/ingestion/stats shows the backlog.`,
    { retryAfterSeconds },
  );
}
