import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from './api-client.ts';
import { ownerOf } from './seed-workspace.ts';
import type { TestMillrace } from './test-millrace.ts';

interface LedgerRow {
  action: string;
  source: string;
  source_id: string | null;
}

/** A user who collects points. */
export interface PointsUser {
  workspaceId: WorkspaceId;
  userId: UserId;
  key: string;
  /** Sends `body` to `POST /gamification/action`. */
  post: (body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Body of `GET /gamification/status`. */
  status: () => Promise<Answer['body']>;
  ledger: () => Promise<LedgerRow[]>;
  /** Moves everything so far that many days into the past. */
  shiftIntoPast: (days: number) => Promise<void>;
}

/** A user of a new workspace, in a time zone where it is about noon, so that no test crosses midnight. */
export async function createPointsUser(millrace: TestMillrace): Promise<PointsUser> {
  const { db } = millrace.services;
  const { workspaceId, key } = await millrace.createWorkspace();
  const userId = await ownerOf(db, workspaceId);
  await sql`update user_account set time_zone = ${noonZone()} where id = ${userId}`.execute(db);
  return {
    workspaceId: workspaceId as WorkspaceId,
    userId: userId as UserId,
    key,
    post: (body, headers = {}) =>
      millrace.call('POST', '/gamification/action', body, { key, headers }),
    status: async () =>
      (await millrace.call('GET', '/gamification/status', undefined, { key })).body,
    async ledger() {
      const { rows } = await sql<LedgerRow>`
        select action_type as action, source, source_id from points_award
        where user_id = ${userId} order by id`.execute(db);
      return rows;
    },
    async shiftIntoPast(days) {
      await sql`update points_account set last_day = last_day - ${days}::int
        where user_id = ${userId}`.execute(db);
      await sql`update points_award set day = day - ${days}::int,
        created_at = created_at - make_interval(days => ${days}::int)
        where user_id = ${userId}`.execute(db);
    },
  };
}

function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours(); // Etc zone names have inverted signs
  return ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
