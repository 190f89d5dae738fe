import type { Generated, GeneratedAlways } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Json, LocalDate, Timestamp } from './column-types.ts';

interface PointsAccountTable {
  user_id: UserId;
  workspace_id: WorkspaceId;
  points: Generated<number>;
  current_streak: Generated<number>;
  longest_streak: Generated<number>;
  /** The last local date with an award. */
  last_day: LocalDate | null;
  /** The impact added on that day. */
  last_day_impact: Generated<number>;
  /** Consecutive local dates with an award. */
  days_in_row: Generated<number>;
  lucky_finds: Generated<number>;
  /** How often each action was awarded in total. */
  action_counts: Generated<Json<Record<string, number>>>;
  updated_at: Timestamp;
}

interface PointsAwardTable {
  id: GeneratedAlways<number>;
  user_id: UserId;
  workspace_id: WorkspaceId;
  action_type: string;
  points: number;
  streak_impact: number;
  /** The user's local date. */
  day: LocalDate;
  /** Who reported the action. */
  source: 'client' | 'service';
  /** Identifies the real action, or is the client's `Idempotency-Key`: one award each. */
  source_id: string | null;
  context: Json<Record<string, unknown>> | null;
  /** When the other party (client or service) reported the same action. */
  claimed_at: Date | null;
  /** Identifies the second report as `source_id` does the first. */
  claim_id: string | null;
  is_lucky_find: Generated<boolean>;
  /** The achievement that the award unlocked. */
  achievement: string | null;
  /** Totals right after the award, returned again for a repeated request. */
  points_total: number;
  streak_count: number;
  created_at: Timestamp;
}

interface PointsAchievementTable {
  user_id: UserId;
  workspace_id: WorkspaceId;
  achievement: string;
  points_award_id: number;
  unlocked_at: Timestamp;
}

/** Points and achievements of users. */
export interface PointsTables {
  points_account: PointsAccountTable;
  points_award: PointsAwardTable;
  points_achievement: PointsAchievementTable;
}
