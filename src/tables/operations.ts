import type { Generated, GeneratedAlways } from 'kysely';
import type { ApiKeyId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Json, Timestamp } from './column-types.ts';

/** A queue that a process serves. */
export interface ServedQueue {
  name: string;
  concurrency: number;
  active: number;
}

/** What a job is about: `document` and its row id, and so on. */
export interface JobSubject {
  kind: string;
  id: string;
}

/** A job that a process is working on. */
export interface RunningJob {
  queue: string;
  job_id: string;
  attempt: number;
  since: string;
  request_id: string | null;
  subjects: JobSubject[];
}

interface WorkerProcessTable {
  id: string;
  host: string;
  pid: number;
  version: string;
  started_at: Date;
  /** The last heartbeat. */
  beat_at: Date;
  queues: Json<ServedQueue[]>;
  jobs: Json<RunningJob[]>;
}

/** Attempts of one process in one minute. Minutes without attempts have no row. */
interface QueueMinuteTable {
  minute: Date;
  queue: string;
  process_id: string;
  /** Attempts that ended by themselves. */
  finished: number;
  /** Those after which nothing is tried again. */
  failed: number;
  /** Those that failed and are tried again. */
  retried: number;
  /** Histograms, as in src/operations/histogram.ts. */
  waits: number[];
  runs: number[];
}

interface QueueHourTable {
  hour: Date;
  queue: string;
  finished: number;
  failed: number;
  retried: number;
  waits: number[];
  runs: number[];
  oldest_ms: number;
}

/** How much was due, as of the end of the minute. Minutes in which nothing was due have no row. */
interface QueueDepthTable {
  minute: Date;
  queue: string;
  due: number;
  oldest_ms: number;
}

interface QueuePauseTable {
  queue: string;
  user_id: UserId | null;
  user_name: string;
  reason: string | null;
  paused_at: Timestamp;
}

export const ALARM_KINDS = ['no_worker', 'stuck', 'falling_behind'] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

interface QueueAlarmTable {
  id: GeneratedAlways<number>;
  queue: string;
  kind: AlarmKind;
  message: string;
  /** When the trouble began, which is before it was noticed. */
  since: Date;
  raised_at: Date;
  cleared_at: Date | null;
}

/** Rows that `reconcile` sent again because their job was lost. */
interface QueueRepairTable {
  minute: Date;
  queue: string;
  rows: number;
}

/** A failure that an operator discarded; a later failure of the same row counts again. */
interface FailureDiscardTable {
  queue: string;
  row_id: string;
  failed_at: Date;
  discarded_at: Timestamp;
}

/** Searches of all API processes; minutes without any have no row. */
interface SearchMinuteTable {
  minute: Date;
  workspace_id: WorkspaceId;
  searches: number;
}

interface OperatorActionTable {
  id: GeneratedAlways<number>;
  user_id: UserId | null;
  user_name: string;
  api_key_id: ApiKeyId | null;
  action: string;
  queue: string | null;
  detail: Json<Record<string, unknown>>;
  request_id: string | null;
  created_at: Timestamp;
}

/** Which process looks at the queues for all. */
interface WatchDutyTable {
  name: string;
  held_by: string;
  held_until: Date;
  tidied_at: Date;
}

/** One row: when the primary was last alive, as a read replica shows it. */
interface ReplicationBeatTable {
  is_only: Generated<boolean>;
  beat_at: Date;
}

/** What the operations pages show. */
export interface OperationsTables {
  worker_process: WorkerProcessTable;
  queue_minute: QueueMinuteTable;
  queue_hour: QueueHourTable;
  queue_depth: QueueDepthTable;
  queue_pause: QueuePauseTable;
  queue_alarm: QueueAlarmTable;
  queue_repair: QueueRepairTable;
  failure_discard: FailureDiscardTable;
  search_minute: SearchMinuteTable;
  operator_action: OperatorActionTable;
  watch_duty: WatchDutyTable;
  replication_beat: ReplicationBeatTable;
}
