import { sql } from 'kysely';
import type { Logger } from 'pino';

import type { WorkspaceId } from '#src/ids.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { Database } from '#src/platform/database.ts';
import type { ModelUsage } from './chat-model.ts';

const FLUSH_MS = 5_000;
/** Maximum number of entries waiting for a database that is down; further ones are dropped to save memory. */
const MAX_WAITING = 10_000;

/** Token usage of workspaces by day, provider and model. Collected in memory and written every few seconds. */
export interface UsageLedger {
  /** Records one call. Returns at once and never throws. */
  record(
    workspaceId: WorkspaceId,
    model: { provider: string; name: string },
    usage: ModelUsage,
  ): void;
  /** Resolves when all entries are written or have failed. */
  idle(): Promise<void>;
}

interface LedgerLine {
  workspace_id: WorkspaceId;
  day: string;
  provider: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
}

/** @param flushMs maximum time before an entry is written */
export function createUsageLedger(
  services: Pick<PlatformServices, 'db' | 'log' | 'clock'>,
  flushMs: number = FLUSH_MS,
): UsageLedger {
  const { db, log, clock } = services;
  const waiting = new Map<string, LedgerLine>();
  let timer: NodeJS.Timeout | null = null;
  let flushing: Promise<void> | null = null;

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    flushing ??= writeWaiting(db, log, waiting).finally(() => {
      flushing = null;
      if (waiting.size > 0) schedule();
    });
    return flushing;
  }

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), flushMs).unref();
  }

  return {
    record(workspaceId, model, usage) {
      enter(waiting, log, lineOf(workspaceId, clock(), model, usage));
      schedule();
    },
    async idle() {
      // The current write may have started before the last entry.
      if (flushing !== null) await flushing;
      await flush();
    },
  };
}

function lineOf(
  workspaceId: WorkspaceId,
  now: Date,
  { provider, name }: { provider: string; name: string },
  usage: ModelUsage,
): LedgerLine {
  return {
    workspace_id: workspaceId,
    day: now.toISOString().slice(0, 10),
    provider,
    model: name,
    calls: 1,
    input_tokens: whole(usage.inputTokens),
    output_tokens: whole(usage.outputTokens),
    reasoning_tokens: whole(usage.reasoningTokens),
  };
}

function enter(waiting: Map<string, LedgerLine>, log: Logger, line: LedgerLine): void {
  const key = JSON.stringify([line.workspace_id, line.day, line.provider, line.model]);
  const known = waiting.get(key);
  if (known !== undefined) add(known, line);
  else if (waiting.size < MAX_WAITING) waiting.set(key, line);
  else log.warn({ lines: waiting.size }, 'token usage is lost: too much waits to be written');
}

/** Entries that cannot be written wait for the next attempt. */
async function writeWaiting(
  db: Database,
  log: Logger,
  waiting: Map<string, LedgerLine>,
): Promise<void> {
  const lines = [...waiting.values()];
  waiting.clear();
  if (lines.length === 0) return;
  try {
    await writeLines(db, lines);
  } catch (error) {
    log.warn({ error: String(error), lines: lines.length }, 'token usage was not written yet');
    for (const line of lines) enter(waiting, log, line);
  }
}

function add(line: LedgerLine, more: LedgerLine): void {
  line.calls += more.calls;
  line.input_tokens += more.input_tokens;
  line.output_tokens += more.output_tokens;
  line.reasoning_tokens += more.reasoning_tokens;
}

/** Counts come from providers: an invalid one must not spoil the sum. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), 1e9) : 0;
}

/** Skips entries of deleted workspaces. */
async function writeLines(db: Database, lines: readonly LedgerLine[]): Promise<void> {
  // The same order in every process prevents deadlocks.
  await sql`
    insert into model_usage as u (workspace_id, day, provider, model, calls, input_tokens,
      output_tokens, reasoning_tokens)
    select l.* from json_to_recordset(${JSON.stringify(lines)}::json) as l(workspace_id uuid,
      day date, provider text, model text, calls bigint, input_tokens bigint, output_tokens bigint,
      reasoning_tokens bigint)
    join workspace w on w.id = l.workspace_id
    order by l.workspace_id, l.day, l.provider, l.model
    on conflict (workspace_id, day, provider, model) do update set
      calls = u.calls + excluded.calls,
      input_tokens = u.input_tokens + excluded.input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens,
      reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens`.execute(db);
}
