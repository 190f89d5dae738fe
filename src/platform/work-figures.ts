/** The current work of one queue, counted in rows of all workspaces. */
export interface WorkFigures {
  queue: string;
  /** Due and not taken. */
  waiting: number;
  /** Taken. */
  active: number;
  /** Not due before a later time. */
  delayed: number;
  /** Since when the oldest is due; null when nothing is. */
  oldest_due_at: Date | null;
}

/** The maximum counted: more would not change a decision, and counting would take longer. */
export const MAX_COUNTED = 100_000;

/** A row whose last attempt failed for good. */
export interface FailedRow {
  id: string;
  workspace_id: string;
  message: string;
  attempts: number;
  failed_at: Date;
}
