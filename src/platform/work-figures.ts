/** The work of one queue at this moment, counted in rows of all workspaces. */
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

/** No more than this is counted: nobody acts differently on more, and counting would take longer. */
export const MAX_COUNTED = 100_000;

/** A row whose last attempt failed for good. */
export interface FailedRow {
  id: string;
  workspace_id: string;
  message: string;
  attempts: number;
  failed_at: Date;
}
