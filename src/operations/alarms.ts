import { findBootstrapWorkspace } from '#src/accounts/bootstrap-workspace.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { AlarmKind } from '#src/tables/operations.ts';
import { emitEvents, sendDeliveries, type ToDeliver } from '#src/webhooks/emit-event.ts';
import type { Trouble } from './judge-alarms.ts';
import type { OperationsServices } from './operations-services.ts';

export interface Alarm {
  id: number;
  queue: string;
  kind: AlarmKind;
  message: string;
  since: Date;
  raised_at: Date;
  cleared_at: Date | null;
}

/** The alarms that are open, oldest first. */
export async function openAlarms(db: Database | DatabaseTransaction): Promise<Alarm[]> {
  return db
    .selectFrom('queue_alarm')
    .selectAll()
    .where('cleared_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Alarms, newest first. */
export async function listAlarms(
  db: Database,
  { isOpen, before, limit }: { isOpen: boolean; before: number | null; limit: number },
): Promise<Alarm[]> {
  let query = db.selectFrom('queue_alarm').selectAll().orderBy('id', 'desc').limit(limit);
  if (isOpen) query = query.where('cleared_at', 'is', null);
  if (before !== null) query = query.where('id', '<', before);
  return query.execute();
}

/** Opens and clears alarms, and tells the endpoints of the operator's workspace, all or nothing. */
export async function settleAlarms(
  services: Pick<OperationsServices, 'db' | 'log' | 'producer'>,
  { troubles, over, now }: { troubles: readonly Trouble[]; over: readonly Alarm[]; now: Date },
): Promise<void> {
  if (troubles.length === 0 && over.length === 0) return;
  const told = await services.db.transaction().execute(async (trx) => {
    const workspaceId = await findBootstrapWorkspace(trx);
    const raised = await raise(trx, troubles, now);
    const cleared = await clear(trx, over, now);
    return workspaceId === null ? [] : tell(trx, workspaceId, { raised, cleared, now });
  });
  await sendDeliveries(services, told);
}

/** A trouble whose alarm is open already raises nothing. */
async function raise(
  trx: DatabaseTransaction,
  troubles: readonly Trouble[],
  now: Date,
): Promise<Alarm[]> {
  if (troubles.length === 0) return [];
  return trx
    .insertInto('queue_alarm')
    .values(troubles.map((trouble) => ({ ...trouble, raised_at: now, cleared_at: null })))
    .onConflict((conflict) =>
      conflict.columns(['queue', 'kind']).where('cleared_at', 'is', null).doNothing(),
    )
    .returningAll()
    .execute();
}

async function clear(
  trx: DatabaseTransaction,
  over: readonly Alarm[],
  now: Date,
): Promise<Alarm[]> {
  if (over.length === 0) return [];
  return trx
    .updateTable('queue_alarm')
    .set({ cleared_at: now })
    .where(
      'id',
      'in',
      over.map(({ id }) => id),
    )
    .where('cleared_at', 'is', null)
    .returningAll()
    .execute();
}

async function tell(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { raised, cleared, now }: { raised: Alarm[]; cleared: Alarm[]; now: Date },
): Promise<ToDeliver> {
  return emitEvents(trx, [
    ...raised.map((alarm) => ({
      type: 'ops.alarm.raised' as const,
      data: factsOf(alarm),
      workspaceId,
      at: now,
    })),
    ...cleared.map((alarm) => ({
      type: 'ops.alarm.cleared' as const,
      data: { ...factsOf(alarm), cleared_at: now.toISOString() },
      workspaceId,
      at: now,
    })),
  ]);
}

function factsOf(alarm: Alarm) {
  return {
    alarm_id: String(alarm.id),
    queue: alarm.queue,
    kind: alarm.kind,
    message: alarm.message,
    since: alarm.since.toISOString(),
    raised_at: alarm.raised_at.toISOString(),
  };
}
