import { sql } from 'kysely';
import { Batcher } from './batcher.ts';
import type { Database } from './database.ts';
import { startDeadline } from './deadline.ts';
import { waitFor } from './wait-for.ts';

/** Lets requests wait until workers have finished rows, with one query at a time for all requests. */
export interface FinishWatch {
  /**
   * Resolves with true once the row is finished or gone; with false after `timeoutMs`, or when this process stops.
   * @throws the signal's reason
   */
  finished(id: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<boolean>;
  /** Aborted by `stop`. */
  readonly stopping: AbortSignal;
  /** Ends all waits: the process is stopping, and waiting callers must be told where to look. */
  stop(): void;
}

const FIRST_LOOK_MS = 30;
const LONGEST_PAUSE_MS = 400;
const GROWTH = 1.5;
const LIMITS = { items: 1_000, size: 1_000 };

/** @param table has a uuid `id` and a `finished_at`, which is null until the row is finished */
export function createFinishWatch(
  db: Database,
  table: 'lead_scrape' | 'email_message',
): FinishWatch {
  const stopping = new AbortController();
  const batcher = new Batcher<string, boolean>(
    async (ids) => {
      const { rows } = await sql<{ id: string }>`
        select id from ${sql.table(table)}
        where id = any(${ids}::uuid[]) and finished_at is null`.execute(db);
      const unfinished = new Set(rows.map(({ id }) => id));
      return ids.map((id) => ({ status: 'fulfilled', value: !unfinished.has(id) }));
    },
    LIMITS,
    () => 1,
  );
  return {
    async finished(id, { timeoutMs, signal }) {
      using deadline = startDeadline(signal, timeoutMs);
      const waiting = AbortSignal.any([deadline.signal, stopping.signal]);
      for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
        // A brief database outage must not fail the caller: the row still exists.
        if (await batcher.submit(id).catch(() => false)) return true;
        signal.throwIfAborted();
        if (waiting.aborted) return false;
        await waitFor(pauseMs, waiting).catch(() => undefined);
      }
    },
    stopping: stopping.signal,
    stop: () => stopping.abort(),
  };
}
