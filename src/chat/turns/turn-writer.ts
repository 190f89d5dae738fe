import type { WorkspaceId } from '#src/ids.ts';
import { Batcher } from '#src/platform/batcher.ts';
import type { Database } from '#src/platform/database.ts';
import { type AskedTurn, askTurn, beginTurns, type NewTurn, type Turn } from './begin-turns.ts';
import { type EndedTurn, endTurn, type FinishedTurn, finishTurns } from './finish-turns.ts';
import type { ChatOwner } from './chat-owner.ts';

/** Limit per statement: meanwhile the embedded database does nothing else. */
const LIMITS = { items: 128, size: 4_000_000 };
/** Too short to be noticed, and long enough for about fifty requests to arrive. */
const GATHER_MS = 30;

/** Writes turns; those that begin or end at the same time share one statement. */
export interface TurnWriter {
  /**
   * Resolves when the turn's rows are committed.
   * @throws Problem NOT_FOUND for a session that was deleted meanwhile
   */
  begin(owner: ChatOwner, turn: NewTurn): Promise<Turn>;
  /** Resolves when the finished turn is committed; does nothing when its session is deleted. */
  finish(owner: ChatOwner, messageId: number, finished: FinishedTurn): Promise<void>;
  /** Resolves when no write is in progress. */
  idle(): Promise<void>;
}

interface Batchers {
  begin: Batcher<AskedTurn, Turn>;
  finish: Batcher<EndedTurn, void>;
  waiting: number;
}

/**
 * Each workspace has its own statements, so that one with locked rows, for example during its deletion, delays no
 * other.
 */
export function createTurnWriter(db: Database): TurnWriter {
  const batchersOf = new Map<WorkspaceId, Batchers>();

  async function within<Result>(
    { workspaceId }: ChatOwner,
    write: (batchers: Batchers) => Promise<Result>,
  ): Promise<Result> {
    const batchers = batchersOf.get(workspaceId) ?? openBatchers(db);
    batchersOf.set(workspaceId, batchers);
    batchers.waiting += 1;
    try {
      return await write(batchers);
    } finally {
      batchers.waiting -= 1;
      if (batchers.waiting === 0) batchersOf.delete(workspaceId);
    }
  }
  return {
    begin: (owner, turn) => within(owner, ({ begin }) => begin.submit(askTurn(owner, turn))),
    finish: (owner, messageId, finished) =>
      within(owner, ({ finish }) => finish.submit(endTurn(owner, messageId, finished))),
    async idle() {
      const all = [...batchersOf.values()];
      await Promise.all(all.flatMap(({ begin, finish }) => [begin.idle(), finish.idle()]));
    },
  };
}

function openBatchers(db: Database): Batchers {
  return {
    begin: new Batcher(
      (turns) => beginAll(db, turns),
      LIMITS,
      ({ json }) => json.length,
    ),
    finish: new Batcher(
      (turns) => writeTogether(turns, (some) => finishAll(db, some)),
      LIMITS,
      ({ json }) => json.length,
      { gatherMs: GATHER_MS },
    ),
    waiting: 0,
  };
}

async function beginAll(db: Database, turns: AskedTurn[]): Promise<PromiseSettledResult<Turn>[]> {
  const results = new Map<AskedTurn, PromiseSettledResult<Turn>>();
  for (const wave of wavesOf(turns)) {
    const settled = await writeTogether(wave, (some) => beginTurns(db, some));
    settled.forEach((result, index) => {
      const turn = wave[index];
      if (turn) results.set(turn, result);
    });
  }
  return turns.flatMap((turn) => results.get(turn) ?? []);
}

/** New sessions together, then turns in existing ones, sequentially per session. */
function wavesOf(turns: readonly AskedTurn[]): AskedTurn[][] {
  const waves: AskedTurn[][] = [];
  const seen = new Map<string, number>();
  for (const turn of turns) {
    const nth = (seen.get(turn.sessionId) ?? 0) + 1;
    seen.set(turn.sessionId, nth);
    (waves[turn.isNewSession ? 0 : nth] ??= []).push(turn);
  }
  return waves.filter((wave) => wave !== undefined);
}

async function finishAll(
  db: Database,
  turns: readonly EndedTurn[],
): Promise<PromiseSettledResult<void>[]> {
  await finishTurns(db, turns);
  return turns.map(() => ({ status: 'fulfilled', value: undefined }));
}

/** A turn that cannot be written, for example because its project was deleted meanwhile, does not fail the others. */
async function writeTogether<Item, Result>(
  items: Item[],
  write: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
): Promise<PromiseSettledResult<Result>[]> {
  try {
    return await write(items);
  } catch (error) {
    if (items.length === 1 || !isOfOneRow(error)) throw error;
  }
  const results: PromiseSettledResult<Result>[] = [];
  for (const item of items) {
    const [settled] = await Promise.allSettled([write([item])]);
    results.push(...(settled.status === 'fulfilled' ? settled.value : [settled]));
  }
  return results;
}

/**
 * SQLSTATE classes 22, data exception, 23, integrity constraint violation, 54, program limit exceeded, and 40P01, deadlock
 * detected: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
function isOfOneRow(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|23|54|40P01)/.test(String(error.code));
}
