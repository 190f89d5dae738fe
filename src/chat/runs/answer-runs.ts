import { sql } from 'kysely';
import type { Logger } from 'pino';

import type { StreamLine } from '#src/chat/packets.ts';
import { RUN_LEASE_MS } from '#src/chat/turns.ts';
import { cleanJson } from '#src/documents/clean-text.ts';
import type { Database } from '#src/platform/database.ts';
import type { AnswerRun } from './answer-run.ts';

const TICK_MS = 300;
const RENEW_EVERY_TICKS = 20;
const MAX_LINES_PER_TICK = 5_000;

/** The answers that this process is writing. */
export interface AnswerRuns {
  /** Enters a run; it leaves when it is over and its lines are kept. `stop` is called when somebody asks for it. */
  add(messageId: number, run: AnswerRun, stop: () => void): void;
  /** Null when another process writes it, or nobody. */
  find(messageId: number): AnswerRun | null;
  /** Ends a run of this process at once, sooner than the database tells. */
  stop(messageId: number): void;
  /** How many there are. */
  readonly size: number;
  /** Keeps what is left and ends the timer. */
  close(): Promise<void>;
}

interface Entry {
  run: AnswerRun;
  stop: () => void;
  /** Lines that are in the database. */
  keptLines: number;
  isStopping: boolean;
}

/**
 * Keeps the lines of all runs in the database, for readers at other processes, and hears there who wants one to stop:
 * a few statements a tick for all runs together, none when nothing runs.
 */
export function createAnswerRuns({ db, log }: { db: Database; log: Logger }): AnswerRuns {
  const entries = new Map<number, Entry>();
  let ticks = 0;
  let timer: NodeJS.Timeout | null = null;
  let ticking: Promise<void> = Promise.resolve();

  const schedule = (): void => {
    if (timer !== null || entries.size === 0) return;
    timer = setTimeout(() => {
      ticking = tick().finally(() => {
        timer = null;
        schedule();
      });
    }, TICK_MS);
  };
  async function tick(): Promise<void> {
    ticks += 1;
    try {
      await keepLines(db, entries);
      if (ticks % RENEW_EVERY_TICKS === 0) await renew(db, [...entries.keys()]);
      for (const id of await stopRequests(db, [...entries.keys()])) stop(id);
    } catch (error) {
      // The answers go on: it is readers elsewhere who wait.
      log.warn({ err: error }, 'the lines of answers could not be kept');
    }
    for (const [id, { run, keptLines }] of entries) {
      if (run.isOver && keptLines >= run.lines.length) entries.delete(id);
    }
  }
  function stop(messageId: number): void {
    const entry = entries.get(messageId);
    if (!entry || entry.isStopping) return;
    entry.isStopping = true;
    entry.stop();
  }
  return {
    add(messageId, run, onStop) {
      entries.set(messageId, { run, stop: onStop, keptLines: 0, isStopping: false });
      schedule();
    },
    find: (messageId) => entries.get(messageId)?.run ?? null,
    stop,
    get size() {
      return entries.size;
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      await ticking;
      await tick();
      entries.clear();
    },
  };
}

async function keepLines(db: Database, entries: ReadonlyMap<number, Entry>): Promise<void> {
  const parts: { chat_message_id: number; first_line: number; lines: readonly StreamLine[] }[] = [];
  const kept = new Map<Entry, number>();
  let room = MAX_LINES_PER_TICK;
  for (const [id, entry] of entries) {
    const lines = entry.run.lines.slice(entry.keptLines, entry.keptLines + room);
    if (lines.length === 0) continue;
    parts.push({ chat_message_id: id, first_line: entry.keptLines, lines });
    kept.set(entry, entry.keptLines + lines.length);
    room -= lines.length;
    if (room <= 0) break;
  }
  if (parts.length === 0) return;
  // A run whose session was deleted has no row to hang its lines on.
  await sql`insert into chat_run_part (chat_message_id, first_line, lines)
    select part.chat_message_id, part.first_line, part.lines
    from json_to_recordset(${cleanJson(parts)}::json)
      as part (chat_message_id integer, first_line integer, lines json)
    where exists (select 1 from chat_run where chat_run.chat_message_id = part.chat_message_id)
    on conflict do nothing`.execute(db);
  for (const [entry, count] of kept) entry.keptLines = count;
}

async function renew(db: Database, ids: readonly number[]): Promise<void> {
  await sql`update chat_run set alive_until = now() + ${RUN_LEASE_MS} * interval '1 millisecond'
    where chat_message_id = any(${ids}::integer[]) and finished_at is null`.execute(db);
}

/** Runs that somebody wants to stop, and those whose rows went with their session. */
async function stopRequests(db: Database, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ chat_message_id: number }>`select chat_message_id from chat_run
    where chat_message_id = any(${ids}::integer[]) and stop_requested_at is null`.execute(db);
  const wanted = new Set(rows.map(({ chat_message_id }) => chat_message_id));
  return ids.filter((id) => !wanted.has(id));
}
