import { sql } from 'kysely';

import { DraftAnswer } from '#src/chat/turns/draft-answer.ts';
import { endTurn, finishTurns } from '#src/chat/turns/finish-turns.ts';
import type { StreamLine } from '#src/chat/wire/packets.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { RunServices } from './run-services.ts';

const MAX_RUNS = 200;
const KEPT_AFTER_END = sql`interval '10 minutes'`;
/** The error of an answer whose process died. */
export const DIED = 'The service stopped while it wrote this answer. Ask again.';

/**
 * Ends answers whose process died, with what their readers have seen; deletes the lines of answers that ended long ago.
 */
export async function sweepRuns(
  services: Pick<RunServices, 'db' | 'clock'>,
  signal: AbortSignal,
): Promise<{ ended: number; deleted: number }> {
  const { db } = services;
  const dead = await sql<DeadRun>`
    select run.chat_message_id, run.workspace_id, session.user_id
    from chat_run run join chat_session session on session.id = run.chat_session_id
    where run.finished_at is null and run.alive_until < now()
    order by run.chat_message_id limit ${MAX_RUNS}`.execute(db);
  const failures: unknown[] = [];
  for (const run of dead.rows) {
    signal.throwIfAborted();
    // One that cannot be ended does not block the others.
    await endDeadRun(services, run).catch((error: unknown) => failures.push(error));
  }
  const gone =
    await sql`delete from chat_run where finished_at < now() - ${KEPT_AFTER_END}`.execute(db);
  if (failures.length > 0) throw new AggregateError(failures, 'Answers could not be ended.');
  return { ended: dead.rows.length, deleted: Number(gone.numAffectedRows ?? 0) };
}

/** For the start of a process that knows that it is the only one: every process that was writing an answer is dead. */
export async function recoverRuns(services: Pick<RunServices, 'db' | 'clock'>): Promise<void> {
  await sql`update chat_run set alive_until = now() - interval '1 second'
    where finished_at is null and alive_until >= now()`.execute(services.db);
  // A failure must not prevent the start: the sweep tries again, and its job fails with the reason.
  await sweepRuns(services, new AbortController().signal).catch(() => undefined);
}

interface DeadRun {
  chat_message_id: number;
  workspace_id: WorkspaceId;
  user_id: UserId;
}

async function endDeadRun(
  { db, clock }: Pick<RunServices, 'db' | 'clock'>,
  { chat_message_id, workspace_id, user_id }: DeadRun,
): Promise<void> {
  const parts = await db
    .selectFrom('chat_run_part')
    .select('lines')
    .where('chat_message_id', '=', chat_message_id)
    .orderBy('first_line')
    .execute();
  const draft = new DraftAnswer();
  // Lines written by this service.
  const lines = parts.flatMap((part) => part.lines as StreamLine[]);
  for (const line of lines) if ('obj' in line) draft.add(line);
  const finished = { ...draft.saved(), model: null, durationMs: 0, error: DIED, now: clock() };
  const owner = { workspaceId: workspace_id, userId: user_id };
  // A process that was only slow to renew its lease may have finished the answer since the query; then its result
  // stands.
  await finishTurns(db, [endTurn(owner, chat_message_id, finished)], 'unfinished');
}
