import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';

import type { StreamLine } from '#src/chat/wire/packets.ts';
import { RUN_LEASE_MS } from '#src/chat/turns/turn-place.ts';
import { cleanJson } from '#src/documents/clean-text.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { AnswerRun } from './answer-run.ts';

const TICK_MS = 300;
/** Well within `RUN_LEASE_MS`. */
const RENEW_EVERY_MS = 6_000;
/** With many answers in progress, saving lines takes at most this fraction (1/n) of the database's time. */
const PAUSE_PER_WORK = 4;
/** Readers at other processes give up on the last lines soon after this. */
const MAX_PAUSE_MS = 900;
/** Limits per statement, so that other users of the embedded database's only connection get their turn. */
const MAX_RUNS_PER_STATEMENT = 32;
const MAX_LINES_PER_STATEMENT = 5_000;
/** Time to save the answers that are ended at shutdown. */
const SAVE_DEADLINE_MS = 5_000;

/** The answers that this process is writing. */
export interface AnswerRuns {
  /** Adds a run; it is removed when it is over and its lines are saved. */
  add(messageId: number, run: AnswerRun, controls: AnswerControls): void;
  /** Null when another process or nobody is writing it. */
  find(messageId: number): AnswerRun | null;
  /** Ends a run of this process at once, without waiting for the database. */
  stop(messageId: number): void;
  /** How many there are. */
  readonly size: number;
  /** Fails all answers in progress and tells their readers, because the process is ending. */
  interrupt(): void;
  /** Waits until the answers in progress are saved, saves the remaining lines and stops the timer. */
  close(): Promise<void>;
}

/** The ways in which an answer is ended from outside. */
export interface AnswerControls {
  /** Someone asked for it: the text so far is the answer. */
  stop(): void;
  /** It fails for this reason. */
  fail(reason: Problem): void;
}

interface Entry extends AnswerControls {
  run: AnswerRun;
  /** Number of lines already in the database. */
  savedLines: number;
  isStopping: boolean;
}

/**
 * Saves the lines of all runs to the database for readers at other processes, and reads there which runs to stop: a few
 * statements a tick for all runs together, none when nothing runs.
 */
export function createAnswerRuns({ db, log }: { db: Database; log: Logger }): AnswerRuns {
  const entries = new Map<number, Entry>();
  let renewedMs = performance.now();
  let timer: NodeJS.Timeout | null = null;
  let ticking: Promise<void> = Promise.resolve();

  const schedule = (pauseMs: number = TICK_MS): void => {
    if (timer !== null || entries.size === 0) return;
    timer = setTimeout(() => {
      const startedMs = performance.now();
      ticking = tick().finally(() => {
        timer = null;
        schedule(pauseAfter(performance.now() - startedMs));
      });
    }, pauseMs);
  };
  async function tick(): Promise<void> {
    try {
      await keepAllLines(db, entries);
      if (performance.now() - renewedMs >= RENEW_EVERY_MS) {
        await renew(db, [...entries.keys()]);
        renewedMs = performance.now();
      }
      for (const id of await stopRequests(db, [...entries.keys()])) stop(id);
    } catch (error) {
      // The answers continue; only readers elsewhere wait. Errors of drivers may contain the lines, so only their text
      // is logged.
      log.warn({ error: String(error) }, 'the lines of answers could not be kept');
    }
    for (const [id, { run, savedLines }] of entries) {
      if (run.isOver && savedLines >= run.lines.length) entries.delete(id);
    }
  }
  const stop = (messageId: number): void => stopOnce(entries.get(messageId));
  return {
    add(messageId, run, controls) {
      entries.set(messageId, { run, ...controls, savedLines: 0, isStopping: false });
      schedule();
    },
    find: (messageId) => entries.get(messageId)?.run ?? null,
    stop,
    get size() {
      return entries.size;
    },
    interrupt() {
      for (const entry of entries.values()) if (!entry.run.isOver) entry.fail(ending());
    },
    async close() {
      this.interrupt();
      const unfinished = [...entries.values()].map(({ run }) => run.over);
      await Promise.race([Promise.all(unfinished), wait(SAVE_DEADLINE_MS, null, { ref: false })]);
      if (timer !== null) clearTimeout(timer);
      await ticking;
      await tick();
      entries.clear();
    },
  };
}

function stopOnce(entry: Entry | undefined): void {
  if (!entry || entry.isStopping) return;
  entry.isStopping = true;
  entry.stop();
}

function pauseAfter(workMs: number): number {
  return Math.min(Math.max(TICK_MS, workMs * PAUSE_PER_WORK), MAX_PAUSE_MS);
}

async function keepAllLines(db: Database, entries: ReadonlyMap<number, Entry>): Promise<void> {
  const behind = [...entries].filter(([, { run, savedLines }]) => run.lines.length > savedLines);
  for (let start = 0; start < behind.length; start += MAX_RUNS_PER_STATEMENT)
    await keepLines(db, behind.slice(start, start + MAX_RUNS_PER_STATEMENT));
}

function ending(): Problem {
  return new Problem(
    'SERVICE_UNAVAILABLE',
    'The service is stopping, and ended this answer before it was complete. Ask again in a moment.',
  );
}

async function keepLines(
  db: Database,
  entries: readonly (readonly [number, Entry])[],
): Promise<void> {
  const parts: { chat_message_id: number; first_line: number; lines: readonly StreamLine[] }[] = [];
  const kept = new Map<Entry, number>();
  let room = MAX_LINES_PER_STATEMENT;
  for (const [id, entry] of entries) {
    const lines = entry.run.lines.slice(entry.savedLines, entry.savedLines + room);
    parts.push({ chat_message_id: id, first_line: entry.savedLines, lines });
    kept.set(entry, entry.savedLines + lines.length);
    room -= lines.length;
    if (room <= 0) break;
  }
  // A run whose session was deleted has no row for its lines.
  await sql`insert into chat_run_part (chat_message_id, first_line, lines)
    select part.chat_message_id, part.first_line, part.lines
    from json_to_recordset(${cleanJson(parts)}::json)
      as part (chat_message_id integer, first_line integer, lines json)
    where exists (select 1 from chat_run where chat_run.chat_message_id = part.chat_message_id)
    on conflict do nothing`.execute(db);
  for (const [entry, count] of kept) entry.savedLines = count;
}

async function renew(db: Database, ids: readonly number[]): Promise<void> {
  await sql`update chat_run set alive_until = now() + ${RUN_LEASE_MS} * interval '1 millisecond'
    where chat_message_id = any(${ids}::integer[]) and finished_at is null`.execute(db);
}

/** Runs that someone wants to stop, and runs whose rows were deleted with their session. */
async function stopRequests(db: Database, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ chat_message_id: number }>`select chat_message_id from chat_run
    where chat_message_id = any(${ids}::integer[]) and stop_requested_at is null`.execute(db);
  const wanted = new Set(rows.map(({ chat_message_id }) => chat_message_id));
  return ids.filter((id) => !wanted.has(id));
}
